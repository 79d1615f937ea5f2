import BLECore
import BLEHost

/// Plays `att-vectors/1`: what a server answers, what a client asks, and the hashes of databases.
enum AttributeVectors {
  static func play(_ document: JSONValue) -> [VectorOutcome] {
    let databases = document["databases"]?.object ?? [:]
    let serverTests = document["server_tests"]?.array ?? []
    let clientTests = document["client_tests"]?.array ?? []
    // Databases alone are no tests: a file without any must not look like success.
    if serverTests.isEmpty && clientTests.isEmpty { return [] }
    var outcomes: [VectorOutcome] = []
    for (name, database) in databases.sorted(by: { $0.key < $1.key }) {
      outcomes.append(contentsOf: playHash(database, name: name))
    }
    for (index, test) in serverTests.enumerated() {
      outcomes.append(play(test, "server test \(index)") { try playServer($0, databases, &$1) })
    }
    for (index, test) in clientTests.enumerated() {
      outcomes.append(play(test, "client test \(index)") { try playClient($0, databases, &$1) })
    }
    return outcomes
  }

  /// What the file says and the runner does not understand.
  struct NotUnderstood: Error {
    let what: String
    init(_ what: String) { self.what = what }
  }

  private static func play(
    _ test: JSONValue, _ fallback: String, _ body: (JSONValue, inout VectorOutcome) throws -> Void
  ) -> VectorOutcome {
    var outcome = VectorOutcome(name: test["name"]?.string ?? fallback)
    do {
      if test["name"]?.string == nil { throw NotUnderstood("name") }
      try body(test, &outcome)
    } catch let error as NotUnderstood {
      outcome.notUnderstood(error.what)
    } catch {
      outcome.failures.append("\(error)")
    }
    return outcome
  }

  private static func playHash(_ database: JSONValue, name: String) -> [VectorOutcome] {
    guard let wanted = database["derived"]?["database_hash_msb_first"] else { return [] }
    var outcome = VectorOutcome(name: "database hash of \(name)")
    do {
      guard let wanted = wanted.string else { throw NotUnderstood("database_hash_msb_first") }
      let server = try VectorDatabase(database).makeServer()
      outcome.expect(
        "hash, most significant octet first", wanted: wanted.lowercased(),
        got: server.database.databaseHash.reversed().hexadecimal)
    } catch let error as NotUnderstood {
      outcome.notUnderstood(error.what)
    } catch {
      outcome.failures.append("\(error)")
    }
    return [outcome]
  }

  static func database(_ name: JSONValue?, _ databases: [String: JSONValue]) throws -> VectorDatabase {
    guard let name = name?.string, let database = databases[name] else { throw NotUnderstood("database") }
    return try VectorDatabase(database)
  }
}

extension JSONValue {
  typealias NotUnderstood = AttributeVectors.NotUnderstood

  /// Octets in lower-case hexadecimal.
  func octets(_ key: String) throws -> [UInt8] {
    guard let text = self[key]?.string, let octets = [UInt8](hexadecimal: text) else { throw NotUnderstood(key) }
    return octets
  }

  func handle(_ key: String) throws -> AttributeHandle {
    guard let number = self[key]?.hexadecimalNumber, let value = UInt16(exactly: number) else {
      throw NotUnderstood(key)
    }
    return AttributeHandle(value)
  }

  /// A UUID, 16 bits wide where it was written so.
  func uuid(_ key: String) throws -> BLEUUID {
    guard let text = self[key]?.string, let uuid = BLEUUID(text) else { throw NotUnderstood(key) }
    return uuid
  }

  func integer(_ key: String) throws -> Int {
    guard let value = self[key]?.integer else { throw NotUnderstood(key) }
    return value
  }

  func entries(_ key: String) throws -> [JSONValue] {
    guard let list = self[key]?.array else { throw NotUnderstood(key) }
    return list
  }
}
