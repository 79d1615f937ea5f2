import BLECore

/// The fields of a packet or of a part of one, in the order they travel. Reading, writing and examples come from it.
struct Layout<Whole>: Sendable {
  let read: @Sendable (inout ByteReader) throws(DecodeError) -> Whole
  let write: @Sendable (Whole, inout ByteWriter) -> Void
  /// One for each shape that a field has, and at least one.
  let examples: @Sendable () -> [Whole]

  /// - Parameters:
  ///   - make: Makes the whole of the values of `fields`, in their order: its memberwise initializer.
  init<each Value: Sendable>(
    _ make: @escaping @Sendable (repeat each Value) -> Whole, _ fields: repeat Field<Whole, each Value>
  ) {
    read = { reader throws(DecodeError) in make(repeat try (each fields).form.read(&reader, (each fields).name)) }
    write = { whole, writer in
      for field in repeat each fields { field.form.write(field.value(whole), &writer) }
    }
    examples = {
      var count = 1
      for field in repeat each fields { count = max(count, field.form.examples.count) }
      return (0..<count).map { make(repeat (each fields).example($0)) }
    }
  }
}

/// One field: what the specification calls it, where its value is kept, and the form in which it travels.
///
/// A class, because `Layout` passes its fields on with each packet, and copying a reference costs less than copying closures.
final class Field<Whole, Value: Sendable>: Sendable {
  /// As the specification spells it; what an error calls the field.
  let name: StaticString
  let value: @Sendable (Whole) -> Value
  let form: WireForm<Value>

  init(_ name: StaticString, _ value: @escaping @Sendable (Whole) -> Value, _ form: WireForm<Value>) {
    self.name = name
    self.value = value
    self.form = form
  }

  /// The example at `index`; a form that has fewer starts over at its first.
  func example(_ index: Int) -> Value { form.examples[index % form.examples.count] }
}

extension Field where Value: WireValue {
  /// A field whose type says the form.
  convenience init(_ name: StaticString, _ value: @escaping @Sendable (Whole) -> Value) {
    self.init(name, value, .ofType)
  }
}

extension Field where Value: WireValue & HasLayout {
  /// Several fields that are kept as one value; they have names of their own.
  convenience init(_ value: @escaping @Sendable (Whole) -> Value) {
    self.init("", value, .ofType)
  }
}

/// What is read and written by its layout: most packets, and values that consist of fields.
protocol HasLayout {
  static var layout: Layout<Self> { get }
}

extension HasLayout {
  public init(from reader: inout ByteReader) throws(DecodeError) { self = try Self.layout.read(&reader) }
  public func encode(into writer: inout ByteWriter) { Self.layout.write(self, &writer) }
  /// Of the examples of its fields. A packet has examples of its own where these do not show every shape.
  public static var examples: [Self] { layout.examples() }
}

extension WireValue where Self: HasLayout {
  init(from reader: inout ByteReader, field: StaticString) throws(DecodeError) { try self.init(from: &reader) }
  static var example: Self { layout.examples()[0] }
}

/// A packet without parameters.
protocol EmptyPacket: WirePacket {
  init()
}

extension EmptyPacket {
  public init(from reader: inout ByteReader) throws(DecodeError) { self.init() }
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }
}
