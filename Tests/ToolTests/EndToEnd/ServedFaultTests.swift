import Foundation
import Testing

/// `ble serve --faults`: a faulty device, and another process that meets it.
@Suite("ble serve --faults", .serialized)
struct ServedFaultTests {
  private let place = Neighbourhood()

  private func serve(_ profile: String, _ faults: String? = nil) throws -> ToolProcess {
    let arguments = try faults.map { ["--faults", try place.file("faults.json", $0)] } ?? []
    let server = try place.ble(["serve", profile, "--adapter", "radio:default/peripheral", "--json"] + arguments)
    try server.event("advertising")
    return server
  }

  private let file = """
    {
      "format": "ble-faults/1",
      "faults": [{"when": {"read": "FFF2", "nth": 1}, "what": {"error": "0x80"}}]
    }
    """

  @Test("I14.2 ble serve has the faults of a file, and prints each that strikes")
  func fromAFile() throws {
    let server = try serve("owenli", file)
    let refused = try place.run("read", "Owenli", "FFF2", "--json")
    #expect(refused.status == 74)
    let error = ToolProcess.object(try #require(refused.errors.last))?["error"] as? [String: Any]
    #expect(error?["att_error"] as? Int == 0x80)
    let struck = try server.event("fault")
    #expect(struck["fault"] as? String == "at the 1st read of FFF2, the answer is Application Error (0x80)")
    #expect(struck["words"] as? String == "read FFF2 error 0x80")
    #expect(struck["origin"] as? String == "correct-device")
    #expect(try place.run("read", "Owenli", "FFF2").status == 0)
  }

  @Test("I14.2 faults are added, listed, removed and caused while ble serve runs")
  func typed() throws {
    let server = try serve("owenli", file)
    server.type("fault add read FFF2 every disconnect 0x13\nfault remove 1\nfaults\n")
    let listed = try server.event("faults")
    let faults = listed["faults"] as? [[String: Any]]
    #expect(faults?.map { $0["words"] as? String } == ["read FFF2 every disconnect 0x13"])
    #expect(try place.run("read", "Owenli", "FFF2").status == 74)
    #expect(try server.event("fault")["words"] as? String == "read FFF2 every disconnect 0x13")
    server.type("fault remove 1\nfault cause read FFF2 error 0x81\nfaults\n")
    try server.event("faults") { ($0["faults"] as? [Any])?.isEmpty == true }
    #expect(try place.run("read", "Owenli", "FFF2").status == 74)
    #expect(try place.run("read", "Owenli", "FFF2").status == 0)
    server.type("fault add raed FFF2 drop\nfault remove 7\nfault ad\n")
    try server.complaint("fault:1:1: expected an event, a count or an action, found 'raed'. Did you mean 'read'?")
    try server.complaint("There are no faults.")
    try server.complaint("Expected 'fault add', 'fault cause' or 'fault remove', found 'ad'. Did you mean 'add'?")
  }

  @Test("I14.B all mistakes of a file of faults are printed with file, line and column, and the status is 65")
  func mistakes() throws {
    let path = try place.file(
      "wrong.json",
      "{\n  \"format\": \"ble-faults/1\",\n  \"faults\": [\n    {\"when\": {\"raed\": \"FFF2\"}, \"what\": \"dorp\"}\n  ]\n}"
    )
    let plain = try place.run("serve", "owenli", "--adapter", "radio:default/peripheral", "--faults", path)
    #expect(plain.status == 65 && plain.lines.isEmpty)
    let text = plain.errors.joined(separator: "\n")
    #expect(text.contains("wrong.json:4:15: \"when\" has no \"raed\". Did you mean 'read'?"), "\(text)")
    #expect(text.contains("wrong.json:4:40: 'dorp' is not an action"), "\(text)")
    let missing = place.path("missing.json")
    #expect(try place.run("serve", "owenli", "--faults", missing, "--adapter", "radio:default/peripheral").status == 66)
  }
}
