"""Topic tags: known topics with their English and Chinese names, and the strands that exist already."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from previously.offline.words import is_chinese, word_set

# English name | Chinese name | English words | Chinese words
_TABLE = """
running | 跑步 | running runner marathon half-marathon jogging 5k 10k | 跑步 马拉松 晨跑 夜跑
fitness | 健身 | gym workout fitness yoga pilates weightlifting | 健身 撸铁 瑜伽 普拉提
cycling | 骑行 | cycling bike bicycle | 骑行 骑车 自行车 单车
swimming | 游泳 | swimming swim | 游泳
hiking | 徒步 | hiking hike trail climbing | 徒步 爬山 登山 攀岩
travel | 旅行 | travel trip flight vacation holiday itinerary visa | 旅行 旅游 出行 航班 机票 签证 行程
cooking | 做饭 | cooking recipe cook dinner baking bake sourdough | 做饭 菜谱 下厨 烘焙 做菜 烤箱
food | 饮食 | vegetarian vegan allergic allergy peanuts restaurant diet | 饮食 素食 过敏 忌口 餐厅 香菜
coffee | 咖啡 | coffee espresso | 咖啡
health | 健康 | doctor dentist hospital surgery therapy diagnosis medication | 医院 医生 牙医 手术 体检 看病 复查
sleep | 睡眠 | sleep insomnia | 睡眠 失眠 熬夜
work | 工作 | job boss office colleague manager promotion workplace | 工作 上班 老板 同事 公司 加班 升职
job search | 求职 | interview resume cv recruiter | 面试 简历 求职 找工作 跳槽 offer
study | 学习 | exam thesis university course homework lecture | 考试 论文 大学 课程 作业 答辩 复习
languages | 语言学习 | portuguese spanish french german japanese italian | 西班牙语 日语 法语 德语 韩语 雅思 托福
programming | 编程 | code python javascript typescript rust programming bug api database | 代码 编程 程序 数据库 接口
writing | 写作 | novel essay poem writing speech blog | 写作 小说 文章 诗 致辞 演讲稿 博客
reading | 阅读 | book books reading author | 读书 阅读 看书 书单
music | 音乐 | music guitar piano violin concert choir | 音乐 吉他 钢琴 小提琴 乐队 合唱
film | 电影 | movie film cinema series | 电影 影院 电视剧
games | 游戏 | videogame chess gaming | 游戏 象棋 围棋
photography | 摄影 | photography camera photos | 摄影 相机 拍照
family | 家人 | wife husband daughter son mother father sister kids | 我妈 我爸 女儿 儿子 老婆 老公 妹妹 姐姐 家人
friends | 朋友 | friend friends | 朋友
wedding | 婚礼 | wedding bride groom bachelor | 婚礼 伴郎 伴娘 结婚
birthday | 生日 | birthday | 生日
pets | 宠物 | dog cat puppy kitten pet vet | 猫 狗 宠物 猫咪 狗狗
home | 家居 | apartment flat renovation furniture rent kitchen | 装修 家具 房子 租房 新家
moving | 搬家 | moving relocation movers | 搬家 搬到
money | 财务 | tax budget savings mortgage invoice salary | 报税 预算 存钱 贷款 工资 理财
garden | 园艺 | garden gardening tomatoes plants balcony | 园艺 种花 花园 阳台 多肉
"""


@dataclass(frozen=True, slots=True)
class _Topic:
    english: str
    chinese: str
    words: frozenset[str]
    characters: tuple[str, ...]

    def names(self) -> frozenset[str]:
        return frozenset({self.english, self.chinese})


def _topic(line: str) -> _Topic:
    english, chinese, words, characters = (part.strip() for part in line.split("|"))
    return _Topic(english, chinese, word_set(words), tuple(characters.split()))


_TOPICS = [_topic(line) for line in _TABLE.strip().splitlines()]
_WORD = re.compile(r"[a-z0-9][a-z0-9-]*")


def tags(text: str, strands: Sequence[str], *, limit: int) -> tuple[list[str], list[str]]:
    """Return the topics of a text: names of existing strands, then new names in the language of the text.

    A known topic that has a strand under its name in either language is not created again.
    """
    words, lowered = frozenset(_WORD.findall(text.lower())), text.lower()
    reuse = [strand for strand in strands if _named(strand, lowered)]
    create: list[str] = []
    for topic in _mentioned(words, text):
        known = [strand for strand in strands if strand.lower() in topic.names()]
        if known:
            reuse += known[:1]
        else:
            create.append(topic.chinese if is_chinese(text) else topic.english)
    return list(dict.fromkeys(reuse))[:limit], create[: max(0, limit - len(set(reuse)))]


def _mentioned(words: frozenset[str], text: str) -> Iterable[_Topic]:
    return (topic for topic in _TOPICS if words & topic.words or any(part in text for part in topic.characters))


def _named(strand: str, lowered: str) -> bool:
    name = strand.strip().lower()
    if is_chinese(name):
        return len(name) > 1 and name in lowered
    return len(name) > 1 and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", lowered) is not None
