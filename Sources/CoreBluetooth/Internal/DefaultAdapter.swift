internal import BLEAdapter

/// The adapter of managers that name none.
enum DefaultAdapter {
  static var shared: any Adapter { raise("This build has no adapter of its own") }
}
