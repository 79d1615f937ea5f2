import Testing

@testable import BLEBlueZ

@Suite("Texts that come again")
struct RecentTextsTests {
  @Test("I12 each text is read as it is, however many others there were since it was there last")
  func texts() {
    var recent = RecentTexts()
    let texts = [
      "", "a", "/org/bluez/hci0/dev_C0_12_34_56_78_9A", "/org/bluez/hci0/dev_C0_12_34_56_78_9B", "ä", "b", "a ",
    ]
    for step in 1...texts.count {
      for index in 0..<texts.count * 2 {
        let text = texts[index * step % texts.count]
        #expect(text.withCString { recent.text($0) } == text)
        #expect(text.withCString { recent.text($0) } == text)
      }
    }
  }
}
