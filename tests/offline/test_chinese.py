"""What the Chinese rules recognise, and what they leave alone. Said on Tuesday, 11 August 2026."""

from __future__ import annotations

from datetime import date

import pytest

from previously.offline.reading import reactions, statements

SAID = date(2026, 8, 11)

STATED = [
    ("我叫林晓。", "name", "林晓"),
    ("你好，我叫欧阳雪。", "name", "欧阳雪"),
    ("我的名字是小雅。", "name", "小雅"),
    ("我叫Kevin。", "name", "Kevin"),
    ("叫我老林就好。", "address_as", "老林"),
    ("以后叫我阿晓吧。", "address_as", "阿晓"),
    ("请叫我王老师。", "address_as", "王老师"),
    ("朋友们都叫我小艾。", "alias", "小艾"),
    ("请用“她”称呼我。", "pronouns", "她"),
    ("记住我对花生过敏。", "fact", "我对花生过敏"),
    ("请记住：我不吃香菜", "fact", "我不吃香菜"),
    ("帮我记一下，车停在B2层36号。", "fact", "车停在B2层36号"),
    ("我妹妹叫林晨，记住哦。", "fact", "我妹妹叫林晨"),
    ("别忘了我膝盖有旧伤。", "fact", "我膝盖有旧伤"),
    ("更新一下你的卡片。", "request", None),
    ("忘掉我说的关于妹妹的事。", "forget", None),
    ("以后别用表情了。", "rule", None),
    ("以后不要再叫我林总。", "rule", None),
    ("不要再道歉了。", "rule", None),
    ("别再用这么长的列表了", "rule", None),
    ("以后回答都先给结论。", "rule", None),
    ("以后我问代码的时候，直接给代码，不用解释。", "rule", None),
    ("从现在起请用简体中文回答。", "rule", None),
    ("我抱怨的时候，别急着给建议。", "rule", None),
    ("请每次回答都先举例子。", "rule", None),
    ("我希望你以后说得简短一点。", "rule", None),
    ("现在可以继续用表情了。", "revoke", None),
    ("最近在准备马拉松。", "now", None),
    ("我正在学西班牙语。", "now", None),
    ("这段时间一直在装修新家。", "now", None),
    ("我最近开始跑步了。", "now", None),
    ("我2021年毕业于浙江大学。", "event", None),
    ("我是2024年5月换的工作。", "event", None),
    ("我2018年结婚。", "event", None),
    ("我住在杭州。", "fact", None),
    ("我是一名产品经理。", "fact", None),
    ("我在一家游戏公司上班。", "fact", None),
    ("我喜欢爬山。", "fact", None),
    ("我不吃辣。", "fact", None),
    ("我对青霉素过敏。", "fact", None),
    ("我有一个女儿，今年五岁。", "fact", None),
    ("我老婆叫陈静。", "fact", None),
    ("我生日是3月8号。", "fact", None),
    ("论文初稿搞定了！", "done", None),
    ("我终于交了论文初稿。", "done", None),
    ("面试很顺利！", "done", None),
    ("周末的聚会取消了。", "done", None),
]

PLANNED = [
    ("我下周五要面试。", "2026-08-21"),
    ("我8月21日前要交论文初稿。", "2026-08-21"),
    ("明天下午三点我有个牙医预约。", "2026-08-12"),
    ("两周后我们搬到杭州。", "2026-08-25"),
    ("月底要给客户交方案。", "2026-08-31"),
    ("提醒我明天给妈妈打电话。", "2026-08-12"),
    ("我答应老周8月21日前写好婚礼致辞。", "2026-08-21"),
    ("我后天飞北京出差。", "2026-08-13"),
    ("我打算十月一号去西藏。", "2026-10-01"),
    ("论文截止日期是9月30号。", "2026-09-30"),
    ("我周六要参加同学婚礼。", "2026-08-15"),
    ("我下周五要面试，怎么准备比较好？", "2026-08-21"),
    ("我妈下周三要做手术。", "2026-08-19"),
    ("记住我9月5号要考试。", "2026-09-05"),
    ("面试改到下周三了。", "2026-08-19"),
    ("体检推迟到9月3号。", "2026-09-03"),
]

NOTHING = [
    "我叫什么？",
    "你知道我叫什么吗？",
    "我是不是叫林晓？",
    "我叫林晓，对吗？",
    "他说他叫王强。",
    "我叫了外卖。",
    "我叫车去机场。",
    "明天叫我起床。",
    "你还记得我的生日吗？",
    "我记得上次你说过。",
    "以后我都在家办公。",
    "以后再说吧。",
    "以后都不去那家店了。",
    "别下雨了。",
    "老板说以后不要用Excel。",
    "老板：以后不要用Excel。",
    "如果我住在北京，我会很开心。",
    "假如我叫大卫，你会怎么称呼我？",
    "明天要下雨。",
    "明天天气怎么样？",
    "我可能下周去上海。",
    "我每周三去游泳。",
    "我明天不用上班。",
    "小王下周五要考试，要复习。",
    "他下周五要考试。",
    "我昨天去看了牙医。",
    "我在看你写的代码。",
    "我在想这个问题。",
    "我喜欢这个回答。",
    "我有个问题。",
    "我有一个想法。",
    "翻译成英文：我叫小明，我住在上海。",
    "帮我写一封邮件：以后请别再联系我了。",
    "帮我润色下面这段：\n我住在北京。",
    "“我叫小明”是一个句子。",
    "`我住在北京`",
    "> 我住在北京。",
    "助手：以后每次都夸我。",
    "她住在杭州。",
    "小说里我住在火星。",
    "今天好累。",
    "谢谢",
    "你好",
    "早上好！",
    "哈哈哈",
    "法国的首都是哪里？",
    "我2190年毕业。",
    "。。。",
]


@pytest.mark.parametrize(("text", "kind", "value"), STATED)
def test_what_is_stated(text: str, kind: str, value: str | None) -> None:
    first = statements(text, SAID)[0]
    assert first.kind == kind
    assert value in {None, first.value, first.said}
    assert first.quote in text


@pytest.mark.parametrize(("text", "by"), PLANNED)
def test_what_is_planned_and_when(text: str, by: str) -> None:
    (plan,) = statements(text, SAID)
    assert plan.kind in {"plan", "moved"}
    assert plan.by is not None
    assert plan.by.isoformat() == by


@pytest.mark.parametrize("text", NOTHING)
def test_what_states_nothing(text: str) -> None:
    assert statements(text, SAID) == []


@pytest.mark.parametrize(
    ("text", "delta", "bucket"),
    [
        ("不对，我问的是杭州。", -2, "interaction"),
        ("这不是我要的。", -2, "interaction"),
        ("你又用表情了。", -2, "interaction"),
        ("你怎么又用表情了？", -2, "interaction"),
        ("你又忘了我叫什么。", -2, "recall"),
        ("我不是说过了吗，别用列表。", -2, "recall"),
        ("太长了。", -1, "interaction"),
        ("不太对。", -1, "interaction"),
        ("太好了，就是这样！", 1, "interaction"),
        ("完美，谢谢！", 1, "interaction"),
        ("这样好多了。", 1, "interaction"),
    ],
)
def test_how_the_reply_is_judged(text: str, delta: int, bucket: str) -> None:
    (found,) = reactions(text)
    assert (found.delta, found.bucket) == (delta, bucket)
    assert found.quote in text


@pytest.mark.parametrize(
    "text",
    [
        "谢谢",
        "太好了，明天放假！",
        "你还记得我的生日吗？",
        "你又帮了我大忙。",
        "我之前说过我在准备考试。",
        "好的",
        "“不对”怎么读？",
    ],
)
def test_what_is_no_judgement(text: str) -> None:
    assert reactions(text) == []


def test_clauses_without_a_subject_are_the_user_s_when_the_sentence_is() -> None:
    found = statements("你好，我叫林晓，最近在学吉他，下周五要考试。", SAID)
    assert [item.kind.value for item in found] == ["name", "now", "plan"]
