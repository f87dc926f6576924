"""What memory is: values, documents and graph states. Pure: no I/O, no model, no clock."""
