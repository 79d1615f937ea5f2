import BLEGateway
import Foundation
import TestSupport
import Testing

/// What Home Assistant does with templates, by the library that it does it with: Jinja in its sandbox, with the names that Home Assistant
/// documents and that are used here.
enum DiscoveryRenderer {
  private static let program = """
    import datetime, json, sys
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    task = json.load(sys.stdin)
    moment = datetime.datetime.fromtimestamp(task["now"], datetime.timezone.utc)
    environment = ImmutableSandboxedEnvironment()
    environment.filters["to_json"] = json.dumps
    environment.globals.update(now=lambda: moment, utcnow=lambda: moment, timedelta=datetime.timedelta)
    texts = []
    for template, names in task["templates"]:
        if isinstance(names["value"], str):
            try:
                names["value_json"] = json.loads(names["value"])
            except ValueError:
                pass
        texts.append(environment.from_string(template).render(names))
    json.dump(texts, sys.stdout)
    """

  /// Whether there is a Jinja to test with.
  static let isInstalled = (try? python("import jinja2", Data())) != nil
  static let isMissing: Comment = "there is no Jinja: Tools/prepare swift installs it"

  struct Failed: Error {}

  private static func python(_ program: String, _ input: Data) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = ["-c", program]
    let (stdin, stdout) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (stdin, stdout)
    try process.run()
    try stdin.fileHandleForWriting.write(contentsOf: input)
    try stdin.fileHandleForWriting.close()
    let output = stdout.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw Failed() }
    return output
  }

  /// The texts that the templates become, each with its value.
  static func render(_ templates: [(template: String, value: Any)], now: Date) throws -> [String] {
    let task: [String: Any] = [
      "now": now.timeIntervalSince1970, "templates": templates.map { [$0.template, ["value": $0.value]] as [Any] },
    ]
    let output = try python(program, JSONSerialization.data(withJSONObject: task))
    return try #require(JSONSerialization.jsonObject(with: output) as? [String])
  }
}

extension HomeAssistantEntity {
  var object: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(payload.utf8))) as? [String: Any] ?? [:] }

  /// A value that Home Assistant's user can choose.
  var choice: Any {
    switch component {
    case .number: object["min"] as? Int ?? 0
    case .select: (object["options"] as? [String])?.first ?? ""
    case .switch: object["payload_on"] ?? ""
    case .text: String(repeating: "1", count: object["max"] as? Int ?? 1)
    case .button: "PRESS"
    case .sensor, .binarySensor, .deviceTracker: ""
    }
  }
}
