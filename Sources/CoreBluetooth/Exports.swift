// Apple's module exports these: a program that imports only CoreBluetooth has them.
@_exported import CCoreBluetoothEnumerations
@_exported import Dispatch
@_exported import Foundation

/// Seconds since 2001-01-01 00:00 UTC. On Apple's systems this comes with Core Foundation.
public typealias CFAbsoluteTime = Double

/// The current time, in seconds since 2001-01-01 00:00 UTC. On Apple's systems this comes with Core Foundation.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }

/// The Core Foundation object of a UUID; on Linux Foundation's object.
public typealias CFUUID = NSUUID

/// The older name of `DispatchQueue`, which Apple's initializers use.
public typealias dispatch_queue_t = DispatchQueue

/// The protocol/service multiplexer with which an L2CAP channel is opened.
///
/// Availability: iOS 11.0, macOS 10.13.
public typealias CBL2CAPPSM = UInt16
