internal import BLEAdapter
internal import BLEDefaultStack

/// The adapter of managers that name none.
enum DefaultAdapter {
  static var shared: any Adapter { DefaultStack.adapter }
}
