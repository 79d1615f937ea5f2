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
  Radio: "无线电", Map: "地图", Step: "步进", Milliseconds: "毫秒", Speed: "速度", "Loss of packets": "丢包率", loss: "丢包", running: "运行中", stopped: "已停止",
  "Stop time": "停止时间", Run: "运行", "Drag a device, or move it by the arrow keys.": "拖动设备，或用方向键移动。", Distance: "距离", Power: "电源",
  "What it is": "说明", away: "距离", off: "已关闭", "Switch off": "关闭", "Switch on": "打开",
  "Be a device": "充当设备", Profile: "配置", "Advertised name": "广播名称", Publish: "发布", End: "结束", "A file …": "文件…", "Text of a profile file": "配置文件内容",
  "Who uses it": "使用者", "Nothing is published.": "未发布任何内容。", advertising: "正在广播", "not advertising": "未广播", subscribers: "个订阅者", "Set and notify": "设置并通知",
  subscribed: "已订阅", unsubscribed: "已取消订阅",
  "Pairing with": "正在配对：", Passkey: "配对码", Pair: "配对", Refuse: "拒绝", "Type these digits on the other device:": "请在另一台设备上输入这些数字：",
  "Enter the six digits that the other device shows:": "请输入另一台设备显示的六位数字：", "Does the other device show the same digits?": "另一台设备显示的数字相同吗？",
  "Pair? The identity of the device is not verified.": "要配对吗？设备身份未经验证。",
  "Replace the keys that are kept? The device has not proved that it is the same.": "要替换保存的密钥吗？设备未证明是同一台。",
  "the device has begun, without a cause on this side": "由对方发起，本机没有请求", "asked for on this side": "由本机请求",
  "The adapter has paired with no device.": "适配器没有已配对的设备。", "Remove keys": "删除密钥", Bonds: "配对",
  Log: "日志", Filter: "筛选", Kind: "类型", All: "全部", "Save as CSV": "保存为 CSV", "Save as JSON": "保存为 JSON", call: "调用", state: "状态", session: "会话",
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
