import BLECore
import BLEWire

/// The writes that one client has prepared (Core, Vol 3 Part F 3.4.6). Bounded: a client cannot make a server keep more.
struct PrepareQueue {
  /// How many parts are kept.
  static let partLimit = 128
  /// How many octets of values are kept.
  static let octetLimit = 4096

  struct Part {
    let handle: AttributeHandle
    let offset: Int
    let value: ArraySlice<UInt8>
  }

  private(set) var parts: [Part] = []
  private var octets = 0

  /// Whether the parts are one long write: of one attribute, each going on where the one before it ends. Anything else is a
  /// reliable write (Core, Vol 3 Part G 4.9.5).
  var isOneLongWrite: Bool {
    zip(parts, parts.dropFirst()).allSatisfy { part, next in
      part.handle == next.handle && part.offset + part.value.count == next.offset
    }
  }

  /// False where the queue is full.
  mutating func append(_ handle: AttributeHandle, offset: Int, _ value: ArraySlice<UInt8>) -> Bool {
    guard parts.count < Self.partLimit, octets + value.count <= Self.octetLimit else { return false }
    // A copy: the slice would keep the whole packet.
    parts.append(Part(handle: handle, offset: offset, value: Array(value)[...]))
    octets += value.count
    return true
  }

  mutating func removeAll() {
    parts = []
    octets = 0
  }
}

/// A queue on its way into the database: one program after another is asked, then the server's own values are written.
struct QueueExecution {
  struct Question {
    let application: any AttributeApplication
    var parts: [AttributeWriteRequest.Part]
  }

  /// Programs that are still to be asked.
  var questions: [Question] = []
  /// Values that are the server's to write, whole.
  var values: [(attribute: Attribute, value: [UInt8])] = []
  /// The attribute that an error is about.
  var current = AttributeHandle(0)
}

extension GATTServerLink {
  func prepare(_ request: ATTPrepareWriteRequest) {
    let handle = request.attributeHandle
    do throws(ATTErrorCode) {
      _ = try writable(handle, .request)
      guard queue.append(handle, offset: Int(request.valueOffset), request.partAttributeValue) else {
        throw .prepareQueueFull
      }
      // Whether offset and length fit is said when the queue is executed.
      bearer.respond(ATTPrepareWriteResponse(to: request), capacity: bearer.mtu)
    } catch {
      bearer.refuse(error, at: handle)
    }
  }

  func execute(_ flags: ATTExecuteWriteRequest.Flags) {
    let parts = queue.parts
    switch flags {
    case .cancel:
      queue.removeAll()
      bearer.respond(ATTExecuteWriteResponse())
    case .write:
      let isReliable = !queue.isOneLongWrite
      queue.removeAll()
      if isReliable, let refused = parts.first(where: { !server.database.permitsReliableWrites(of: $0.handle) }) {
        return bearer.refuse(.requestNotSupported, at: refused.handle)
      }
      var execution = QueueExecution()
      for part in parts {
        do throws(ATTErrorCode) { try plan(part, &execution) } catch { return bearer.refuse(error, at: part.handle) }
      }
      for (attribute, value) in execution.values {
        do throws(ATTErrorCode) { try check(value[...], for: attribute) } catch {
          return bearer.refuse(error, at: attribute.handle)
        }
      }
      goOn(execution)
    default: bearer.refuse(.invalidPDU, at: AttributeHandle(0))
    }
  }

  private func plan(_ part: PrepareQueue.Part, _ execution: inout QueueExecution) throws(ATTErrorCode) {
    // Attributes and security may have changed since the part was prepared.
    let attribute = try writable(part.handle, .request)
    if case .application(let application, let tag) = attribute.content {
      guard part.offset + part.value.count <= ATTLimits.maximumValueLength else { throw .invalidAttributeValueLength }
      let piece = AttributeWriteRequest.Part(
        handle: part.handle, tag: tag, offset: part.offset, value: part.value)
      if let index = execution.questions.firstIndex(where: { $0.application === application }) {
        execution.questions[index].parts.append(piece)
      } else {
        execution.questions.append(.init(application: application, parts: [piece]))
      }
      return
    }
    let index: Int
    if let known = execution.values.firstIndex(where: { $0.attribute.handle == part.handle }) {
      index = known
    } else {
      index = execution.values.count
      execution.values.append((attribute, Array(value(of: attribute) ?? [])))
    }
    guard let changed = execution.values[index].value.overwritten(at: part.offset, with: part.value) else {
      throw .invalidOffset
    }
    guard part.offset + part.value.count <= ATTLimits.maximumValueLength else { throw .invalidAttributeValueLength }
    execution.values[index].value = changed
  }

  /// Asks the next program, or brings the execution to its end.
  func goOn(_ execution: QueueExecution) {
    var execution = execution
    guard !execution.questions.isEmpty else {
      bearer.respond(ATTExecuteWriteResponse())
      for (attribute, value) in execution.values { apply(value[...], to: attribute) }
      return
    }
    let question = execution.questions.removeFirst()
    execution.current = question.parts.first?.handle ?? AttributeHandle(0)
    let number = wait(.execute(execution), for: question.application)
    question.application.write(
      AttributeWriteRequest(number: number, client: self, needsResponse: true, parts: question.parts))
  }
}

extension [UInt8] {
  /// A part at the beginning makes a new value; any other one replaces what stands there and may lengthen it.
  /// `nil` where the part would begin behind the end.
  fileprivate func overwritten(at offset: Int, with part: ArraySlice<UInt8>) -> [UInt8]? {
    if offset > count { return nil }
    let rest = offset == 0 ? [] : dropFirst(offset + part.count)
    return Array(prefix(offset) + part + rest)
  }
}
