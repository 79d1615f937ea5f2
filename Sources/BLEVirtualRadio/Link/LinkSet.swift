/// The connections of one node.
struct LinkSet {
  private(set) var all: [Connection] = []

  mutating func insert(_ connection: Connection) { all.append(connection) }
  mutating func remove(_ connection: Connection) { all.removeAll { $0 === connection } }
}
