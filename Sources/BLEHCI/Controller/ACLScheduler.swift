import BLECore
import BLEWire

/// Distributes the controller's data buffers among the links.
///
/// A link with data to send and below its limit is in a ring; a free buffer is given to the first of the ring, for one piece at a
/// time. With more than one link, no link may use all buffers: a silent peer would block the others until its supervision
/// time-out.
final class ACLScheduler {
  /// Sends the packets. Not retained: the controller owns this object.
  unowned var controller: HCIController?
  private var links: [ConnectionHandle: HCILink] = [:]
  /// Most packets are for the same link as the one before.
  private var lastLink: HCILink?
  /// The ring: each link in it knows the next.
  private var firstInRing: HCILink?
  private var lastInRing: HCILink?
  private var activeCount = 0

  /// The octets of data in one packet.
  private var pieceLength = 0
  private(set) var totalCredits = 0
  private(set) var freeCredits = 0

  /// References to links may remain: they are closed.
  deinit { closeAll() }

  private(set) var linkCount = 0

  func configure(packetLength: Int, packetCount: Int) {
    pieceLength = packetLength
    totalCredits = packetCount
    freeCredits = packetCount
  }

  func link(_ handle: ConnectionHandle) -> HCILink? {
    if let lastLink, lastLink.handle == handle { return lastLink }
    guard let link = links[handle] else { return nil }
    lastLink = link
    return link
  }

  /// `nil` if there already is a link with this handle.
  func open(_ handle: ConnectionHandle) -> HCILink? {
    guard links[handle] == nil else { return nil }
    let link = HCILink(handle: handle, scheduler: self)
    links[handle] = link
    linkCount = links.count
    return link
  }

  /// Waiting data is dropped; data in the controller counts as sent (Core, Vol 4 Part E 4.3).
  func close(_ link: HCILink) {
    links[link.handle] = nil
    linkCount = links.count
    retire(link)
    freeCredits += link.outstanding
    link.outstanding = 0
    pump()
  }

  func closeAll() {
    for link in links.values {
      retire(link)
      link.outstanding = 0
    }
    links.removeAll()
    linkCount = 0
    while popRing() != nil {}
    activeCount = 0
    totalCredits = 0
    freeCredits = 0
  }

  private func retire(_ link: HCILink) {
    if link.isActive { activeCount -= 1 }
    link.isClosed = true
    link.dataReceiver = nil
    link.dropFrames()
    if lastLink === link { lastLink = nil }
  }

  func send(_ frame: consuming [UInt8], token: UInt64, on link: HCILink) -> HCILink.Departure {
    let wasActive = link.isActive
    var offset = 0
    if !link.isWaiting {
      if !wasActive { activeCount += 1 }
      while mayTake(link), offset < frame.count {
        take(link)
        controller?.transmit(link.piece(of: frame, at: &offset, pieceLength))
      }
      if link.isClosed { return .closed }
      if offset == frame.count { return .handedOver }
    }
    link.append(frame, from: offset, token)
    if mayStand(link) { stand(link) }
    return .queued
  }

  /// Returns buffers. False if the link did not use that many.
  func complete(_ count: Int, of link: HCILink) -> Bool {
    guard count <= link.outstanding else { return false }
    link.outstanding -= count
    freeCredits += count
    if !link.isActive, count > 0 { activeCount -= 1 }
    if mayStand(link) { stand(link) }
    return true
  }

  /// Passes pieces to the controller while there are free buffers and waiting links.
  func pump() {
    guard freeCredits > 0, firstInRing != nil, let controller else { return }
    while freeCredits > 0, let link = firstInRing {
      guard !link.isClosed, mayStand(link), let (packet, ended) = link.nextPiece(pieceLength) else {
        _ = popRing()
        continue
      }
      take(link)
      // It is the next one's turn. A link that is alone stays where it is.
      let isAlone = link.nextInRing == nil
      if !isAlone || !mayStand(link) { _ = popRing() }
      if !isAlone, mayStand(link) { stand(link) }
      controller.transmit(packet)
      if let ended { link.dataReceiver?.link(link, didHandOver: ended) }
    }
  }

  private func take(_ link: HCILink) {
    freeCredits -= 1
    link.outstanding += 1
  }

  private func mayTake(_ link: HCILink) -> Bool {
    freeCredits > 0 && !link.isClosed && link.outstanding < limit
  }

  private func mayStand(_ link: HCILink) -> Bool {
    link.isWaiting && link.outstanding < limit
  }

  private func stand(_ link: HCILink) {
    guard !link.isInRing else { return }
    link.isInRing = true
    if let lastInRing { lastInRing.nextInRing = link } else { firstInRing = link }
    lastInRing = link
  }

  private func popRing() -> HCILink? {
    guard let link = firstInRing else { return nil }
    firstInRing = link.nextInRing
    if firstInRing == nil { lastInRing = nil }
    link.nextInRing = nil
    link.isInRing = false
    return link
  }

  /// The number of buffers that one link may use: a link at its limit enters the ring again when one is returned.
  private var limit: Int {
    linkCount <= 1 ? totalCredits : max(1, 3 * totalCredits / (4 * max(1, activeCount)))
  }
}
