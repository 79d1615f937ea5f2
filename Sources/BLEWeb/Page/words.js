// The words of the page: English, and Chinese by the English ones.

import {kept} from "./kept.js";

const chinese = {
  "Skip to content": "跳到内容", Views: "视图", Language: "语言", devices: "台设备", scanning: "正在扫描", "The server is away; trying again.": "服务器无响应，正在重试。",
  Scan: "扫描", "Stop scanning": "停止扫描", Pause: "暂停", "Name or address": "名称或地址", Service: "服务", Manufacturer: "制造商",
  "At least (dBm)": "最低 (dBm)", Order: "排序", Strength: "信号强度", Name: "名称", "Last heard": "最近收到", ago: "前", Interval: "间隔", Devices: "设备",
  Advertisement: "广播", "(no name)": "（无名称）", Favourite: "收藏", Octets: "字节", octets: "字节", "Local name": "本地名称", "Transmit power": "发射功率", Services: "服务",
  "Services in the overflow area": "溢出区中的服务", "Solicited services": "请求的服务", "Service data": "服务数据", Data: "数据", Company: "公司",
  "Manufacturer data": "制造商数据", "Length and type": "长度和类型", "It advertises no data.": "没有广播数据。", Field: "字段", Meaning: "含义",
  Connect: "连接", Disconnect: "断开", idle: "空闲", searching: "正在搜索", connecting: "正在连接", preparing: "正在准备", verifying: "正在验证", ready: "就绪",
  waiting: "等待中", disconnecting: "正在断开", attempt: "尝试", left: "剩余", "longest write": "最长写入", Characteristic: "特征", Read: "读取",
  Subscribe: "订阅", Unsubscribe: "取消订阅", Descriptors: "描述符", Descriptor: "描述符", "It has none.": "没有。", Value: "值", Format: "格式",
  "without an answer": "无需应答", Write: "写入", History: "历史", read: "已读", written: "已写", notified: "通知", "(empty)": "（空）",
  Throughput: "吞吐量", Measure: "测量", Cancel: "取消", "octets/s": "字节/秒", "octets in each value": "字节/值",
  "Writes so many octets without response, with octets of no meaning to the device.": "以无响应写入发送指定数量的字节，内容对设备没有意义。",
  Channel: "通道", "L2CAP channels": "L2CAP 通道", "Open a channel": "打开通道", "Without a PSM: what the device's own characteristic says.": "不填 PSM 时，使用设备特征中的值。",
  "Stop reading": "停止读取", Close: "关闭", Send: "发送", open: "已打开", ended: "已结束", received: "已接收", sent: "已发送", "octets wait for credits": "字节等待信用",
  channel: "通道", channel_data: "通道数据", throughput: "吞吐量",
  Radio: "无线电", Map: "地图", Step: "步进", Milliseconds: "毫秒", Speed: "速度", "Loss of packets": "丢包率", loss: "丢包", running: "运行中", stopped: "已停止",
  "Stop time": "停止时间", Run: "运行", "Drag a device, or move it by the arrow keys.": "拖动设备，或用方向键移动。", Distance: "距离", Power: "电源",
  "What it is": "说明", away: "距离", off: "已关闭", "Switch off": "关闭", "Switch on": "打开",
  "Be a device": "充当设备", Profile: "配置", "Advertised name": "广播名称", Publish: "发布", End: "结束", "A file …": "文件…", "Text of a profile file": "配置文件内容",
  "Who uses it": "使用者", "Nothing is published.": "未发布任何内容。", advertising: "正在广播", "not advertising": "未广播", subscribers: "个订阅者", "Set and notify": "设置并通知",
  subscribed: "已订阅", unsubscribed: "已取消订阅",
  "Device file": "设备文件", "Open with this file": "用此文件打开", "Without a file": "不用文件", "verified by": "验证命令：", State: "状态", Perform: "执行", "Done.": "完成。",
  Profiles: "配置", "Vendors' devices and clones": "厂商设备和克隆", "More devices": "更多设备", Set: "设置", Send: "发送", accepted: "已接受", refused: "已拒绝", untrusted: "未验证",
  silent: "无应答", damaged: "已损坏", unknown: "未知", said: "已发送", "A recording is played as it was: it has no state.": "录制内容按原样播放，没有状态。",
  "The file cannot be read.": "无法读取文件。", "Make a clone": "克隆", "Choose a capture first.": "请先选择抓包文件。", "Learning …": "正在学习…", reproduced: "重现", attributes: "个属性",
  rules: "条规则", streams: "个通知流", "Make a clone of a capture …": "由抓包文件克隆设备…", "Capture (btsnoop, pklg, pcap)": "抓包文件 (btsnoop, pklg, pcap)",
  "The capture is too long here: ble clone takes longer ones.": "抓包文件过长：请使用 ble clone。", "Name of the clone's file": "克隆文件名", "Which device": "哪台设备",
  "Replace names and values": "替换名称和值",
  Chat: "聊天", you: "我", "(cut)": "（已截断）", "Your name": "你的名称", "Only with": "仅限对方", encrypted: "加密", Join: "加入", Leave: "离开", Messages: "消息", Message: "消息",
  "the other side": "对方", "Not in the chat.": "未加入聊天。", "Looking for the other side …": "正在寻找对方…", "is there.": "在线。", "has left.": "已离开。",
  "is out of reach; what you say is delivered later.": "不在范围内，消息将稍后送达。", "Encrypted; both sides show": "已加密；双方显示", delivered: "已送达", lost: "未送达",
  Line: "行", column: "列", "Put a device file …": "添加设备文件…", "Name of the file": "文件名", Put: "添加", "Text of a device file": "设备文件内容",
  "Pairing with": "正在配对：", Passkey: "配对码", Pair: "配对", Refuse: "拒绝", "Type these digits on the other device:": "请在另一台设备上输入这些数字：",
  "Enter the six digits that the other device shows:": "请输入另一台设备显示的六位数字：", "Does the other device show the same digits?": "另一台设备显示的数字相同吗？",
  "Pair? The identity of the device is not verified.": "要配对吗？设备身份未经验证。",
  "Replace the keys that are kept? The device has not proved that it is the same.": "要替换保存的密钥吗？设备未证明是同一台。",
  "the device has begun, without a cause on this side": "由对方发起，本机没有请求", "asked for on this side": "由本机请求",
  "The adapter has paired with no device.": "适配器没有已配对的设备。", "Remove keys": "删除密钥", Bonds: "配对",
  Filters: "筛选条件", "the demo's radio": "演示无线电", poweredOn: "已开启", poweredOff: "已关闭", resetting: "正在重置", unsupported: "不支持", unauthorized: "未授权", unknown: "未知",
  "this program": "本程序", "two services of a maker's own": "厂商自定义的两个服务", "a battery that runs empty": "逐渐耗尽的电池", "the other side of a chat, which repeats what is said": "聊天的另一方，重复所说的话",
  "a thermometer in a room": "室内温度计", "a chest belt": "胸带", "switched and dimmed by writes": "通过写入开关和调光", "sends back what is written, and what comes by its channel": "返回所写内容及其通道收到的内容",
  "20 notifications a second": "每秒 20 次通知", "pairs by the passkey on its label, 246 810": "用标签上的配对码 246 810 配对", "advertises, and does nothing else": "只广播",
  "On the time line": "加入时间线", "Time line": "时间线", "Take from the time line": "移出时间线", "Strengths as a table": "信号强度表格", "Seconds ago": "秒前", "not heard": "未收到",
  "Devices on the time line, at most:": "时间线上最多的设备数：", "Save strengths as CSV": "将信号强度保存为 CSV", "History of its advertisements": "广播历史", heard: "次收到",
  connectable: "可连接", "not connectable": "不可连接", Type: "类型", Length: "长度", "Proximity UUID": "邻近 UUID", Major: "主值 (Major)", Minor: "次值 (Minor)", "Measured power at 1 m": "1 米处测得功率",
  "Frame type": "帧类型", "Transmit power at 0 m": "0 米处发射功率", Namespace: "命名空间", Instance: "实例", Reserved: "保留", "URL scheme": "URL 方案", URL: "网址", Version: "版本",
  "Battery voltage": "电池电压", Temperature: "温度", "Advertisements sent": "已发送广播数", "Time since power-on": "通电时间", "Encrypted telemetry": "加密遥测", Salt: "盐值",
  "Message integrity check": "消息完整性校验", "Ephemeral identifier": "临时标识符", Rest: "其余字节",
  from: "来自", "L2CAP channel": "L2CAP 通道", "Sends so many octets of no meaning, and counts those that come back.": "发送指定数量的无意义字节，并统计返回的字节。",
  "Make a clone of this device …": "克隆此设备…", characteristics: "个特征", values: "个值", "Read what has no value yet": "先读取没有值的特征", "Publish it": "立即发布", "It is published.": "已发布。",
  Compose: "编写配置", "Set the name": "设置名称", "Name of the profile": "配置名称", "Add a service": "添加服务", "UUID of the service": "服务 UUID", "Add a characteristic": "添加特征",
  "In the service": "所属服务", "UUID of the characteristic": "特征 UUID", Properties: "属性", "for paired devices": "仅限已配对设备", "Value of the characteristic": "特征值", "Kind of value": "值的类型",
  "A write": "写入时", "keeps it": "保存", "keeps and notifies it": "保存并通知", "drops it": "忽略", "Notified each (seconds)": "通知间隔（秒）", "Add an L2CAP channel": "添加 L2CAP 通道",
  "Save the profile": "保存配置文件", "Read a profile file": "读取配置文件", "A profile file has at most 64 KiB here.": "配置文件最大 64 KiB。", "Add a service first.": "请先添加服务。", Remove: "删除",
  "The text is no JSON: correct it first.": "内容不是 JSON，请先更正。", "The text is no object: correct it first.": "内容不是对象，请先更正。",
  Macro: "宏", Record: "录制", Stop: "停止", Clear: "清空", "Save the macro": "保存宏", "Load a macro": "载入宏", "with the pauses": "包括停顿", "Add a wait": "添加等待", Steps: "步骤", step: "步骤", Wait: "等待",
  "Recording: what is done at this device in this page.": "正在录制：本页中对此设备的操作。", "Stopped at step": "停止于步骤", "Stopped after step": "已在此步骤后停止", "Played:": "已执行步骤：", "Remove step": "删除步骤",
  "Expected value, step": "期望值，步骤", "expected (hex)": "期望值 (hex)", expected: "期望",
  "A macro has at most 256 KiB.": "宏最大 256 KiB。", "This is no macro:": "这不是宏：", "A macro has so many steps at most:": "宏的步骤上限：",
  Fleet: "网关群", Gateways: "网关", Gateway: "网关", Since: "起始时间", Version: "版本", Room: "房间", Values: "值", online: "在线", offline: "离线",
  Broker: "消息代理", connected: "已连接", "not connected": "未连接", "This explorer looks at no broker.": "此浏览器未连接消息代理。",
  "Messages that are none of a gateway:": "不属于网关的消息：", opening: "正在接管", draining: "正在移交", released: "已释放",
  Log: "日志", Filter: "筛选", Kind: "类型", All: "全部", "Save as CSV": "保存为 CSV", "Save as JSON": "保存为 JSON", "Save packets as btsnoop": "将数据包保存为 btsnoop",
  "What happens now": "当前事件", Play: "播放", "Read on": "继续读取", Place: "位置", Shown: "显示", event: "事件", rssi: "信号", connection: "连接", fault: "故障", Faults: "故障", Device: "设备", "One fault on each line": "每行一个故障", "Set faults": "设置故障", Struck: "已发生", "For example:": "例如：", "It has no faults.": "没有故障。", Packet: "数据包", "Its packets are not kept any more, or are reports of advertisements.": "其数据包已不再保留，或只是广播报告。", call: "调用", state: "状态", session: "会话",
  gap: "空缺", "What happened before is not kept any more.": "此前发生的事件已不再保留。",
  news: "消息", value: "值", pairing: "配对", paired: "配对结果", serving: "发布", access: "访问", radio: "无线电", closed: "已关闭", answered: "已回答", removed: "已移除",
};

const chosen = kept.get("language", (navigator.language ?? "en").toLowerCase().startsWith("zh") ? "zh" : "en");

export const language = chosen === "zh" ? "zh" : "en";
document.documentElement.lang = language === "zh" ? "zh-CN" : "en";

// The text in the language of this browser; what has no translation stays English.
export function t(text) { return language === "zh" ? chinese[text] ?? text : text; }

export function choose(name) {
  kept.set("language", name);
  location.reload();
}
