import BLESession
import CoreBluetooth

/// A named command of a device.
public struct DeviceCommand: Sendable {
  /// How a command is performed.
  public enum Kind: Sendable {
    /// A message in the device's conversation. Without an `answer` only the write is acknowledged.
    case conversation(send: MessageLayout, answer: MessageLayout?, refusal: MessageLayout?)
    /// A read of a characteristic.
    case read(CharacteristicPath, MessageLayout)
    /// A write of a characteristic.
    case write(CharacteristicPath, MessageLayout)
  }

  /// The command's name.
  public var name: String
  /// A description for people.
  public var summary: String?
  /// How it is performed.
  public var kind: Kind
  /// In seconds, for each attempt.
  public var timeLimit: Double
  /// How often it is sent again if no answer arrives.
  public var retries: Int
  /// Whether it is idempotent, so that it may be sent again on the next link.
  public var isRepeatable: Bool
  /// How a simulated device handles it.
  public var behaviour: SimulatedBehaviour

  /// The parameters.
  public var parameters: [DescribedField] {
    switch kind {
    case .conversation(let send, _, _), .write(_, let send): send.fields
    case .read: []
    }
  }

  /// The fields of its answer.
  public var results: [DescribedField] {
    switch kind {
    case .conversation(_, let answer, _): answer?.fields ?? []
    case .read(_, let layout): layout.fields
    case .write: []
    }
  }
}

/// A named message that a device sends without a command.
public struct DeviceNotification: Sendable {
  /// The notification's name.
  public var name: String
  /// A description for people.
  public var summary: String?
  /// The characteristic that sends it; `nil`: in the conversation.
  public var path: CharacteristicPath?
  /// Its content.
  public var layout: MessageLayout
  /// In seconds: the interval at which a simulated device sends it. `nil`: only on demand.
  public var interval: Double?

  /// A notification that is sent at an interval, or only on demand.
  public init(
    name: String, summary: String? = nil, path: CharacteristicPath? = nil, layout: MessageLayout,
    interval: Double? = nil
  ) {
    self.name = name
    self.summary = summary
    self.path = path
    self.layout = layout
    self.interval = interval
  }
}

/// How a simulated device handles a command.
public struct SimulatedBehaviour: Sendable, Hashable {
  /// Parameters whose values have to equal the state's.
  public var required: [String] = []
  /// The refusal's values if they do not.
  public var refusal: [String: FieldValue] = [:]
  /// Changes of the state.
  public var changes: [String: FieldValue] = [:]
  /// The delay of the answer in seconds.
  public var delay = 0.0
  /// Notifications that are sent after the answer.
  public var notifies: [String] = []
  /// Whether it is not answered.
  public var isSilent = false

  /// The default behaviour.
  public init() {}
}

/// The simulated device, except for its commands.
public struct DeviceSimulationPlan: Sendable {
  /// The local name.
  public var advertisedName: String?
  /// The services.
  public var advertisedServices: [CBUUID] = []
  /// With the company identifier in front.
  public var manufacturerData: Data?
  /// The initial values of its fields.
  public var state: [String: FieldValue] = [:]
  /// The answer to a message that is not a command; `nil`: none.
  public var complaint: MessageLayout?

  /// An empty plan.
  public init() {}
}
