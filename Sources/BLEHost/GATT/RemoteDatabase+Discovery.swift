import BLEAdapter
import BLECore
import BLEWire

extension RemoteDatabase {
  /// Discovers the primary services, all or those with given UUIDs, in handle order, except Generic Access and Generic Attribute.
  public func discoverServices(_ uuids: [BLEUUID]?, _ completion: @escaping Completion<[RemoteService]>) {
    run(completion) { [self] _, done in
      findServices { [self] result in
        done(
          result.map {
            layout.services.items.filter { service in
              service.uuid != GATTType.genericAccess && service.uuid != GATTType.genericAttribute
                && uuids.map { $0.contains(service.uuid) } ?? true
            }
          })
      }
    }
    if !hasPreparedForChanges {
      hasPreparedForChanges = true
      prepareForChanges()
    }
  }

  /// Discovers the services that a service includes, all or those with given UUIDs, in the order of the include declarations.
  public func discoverIncludedServices(
    _ uuids: [BLEUUID]?, of service: RemoteService, _ completion: @escaping Completion<[RemoteService]>
  ) {
    run(completion) { [self] client, done in
      search(service.handles, \.searchedIncludes) { [self] first, last, done in
        client.stepIncludes(from: first, through: last) { [self] step in
          record(step, first, last, done) { layout, found, through in layout.add(found, from: first, through: through) }
        }
      } _: { [self] result in
        if case .failure(let error) = result { return done(.failure(error)) }
        resolveIncludes(of: service) { [self] result in
          done(
            result.map { includes in
              includes.compactMap { include in
                guard let uuid = include.uuid, uuids.map({ $0.contains(uuid) }) ?? true else { return nil }
                return RemoteService(
                  uuid: uuid, handles: include.start...include.end,
                  isPrimary: layout.services.items(in: include.start...include.start).first != nil)
              }
            })
        }
      }
    }
  }

  // MARK: Searches

  func findServices(_ done: @escaping Completion<Void>) {
    verifyLayout { [self] in
      search(.first ... .last, \.searchedServices) { [self] first, last, done in
        client.stepServices(GATTType.primaryService, from: first, through: last) { [self] step in
          record(step, first, last, done) { layout, found, through in layout.add(found, from: first, through: through) }
        }
      } _: {
        done($0)
      }
    }
  }

  func findCharacteristics(in handles: ClosedRange<AttributeHandle>, _ done: @escaping Completion<Void>) {
    if layout.hasNoUnknownCharacteristic(in: handles) { return done(.success(())) }
    search(handles, \.searchedCharacteristics) { [self] first, last, done in
      client.stepCharacteristics(from: first, through: last) { [self] step in
        record(step, first, last, done) { layout, found, through in layout.add(found, from: first, through: through) }
      }
    } isOver: { [self] in
      layout.hasNoUnknownCharacteristic(in: handles)
    } _: {
      done($0)
    }
  }

  /// Finds the attributes after a characteristic's value. Client configurations are searched by type, which finds those of many
  /// characteristics with one request; attributes still unknown are then requested by handle.
  func findDescriptors(of characteristic: RemoteCharacteristic, _ done: @escaping Completion<Void>) {
    guard let handles = RemoteLayout.descriptorHandles(of: characteristic),
      let gap = layout.knownHandles.firstGap(in: handles)
    else { return done(.success(())) }
    let offersConfiguration = !ClientConfiguration(properties: characteristic.properties).isEmpty
    let noted: Completion<Void> = { [self] result in
      if case .failure(let error) = result { return done(.failure(error)) }
      findDescriptors(of: characteristic, done)
    }
    if offersConfiguration, let unsearched = layout.searchedConfigurations.firstGap(in: gap.lowerBound ... .last),
      unsearched.lowerBound == gap.lowerBound
    {
      let last = unsearched.upperBound
      let first = unsearched.lowerBound
      client.stepHandles(GATTType.clientCharacteristicConfiguration, from: first, through: last) { [self] step in
        if case .ended(let code) = step, code != .attributeNotFound {
          // One of the configurations cannot be read. The rest is requested by handle.
          layout.addConfigurations([], from: first, through: last)
          return noted(.success(()))
        }
        record(step, first, last, noted) { layout, found, through in
          layout.addConfigurations(found, from: first, through: through)
        }
      }
    } else if let unknown = layout.knownHandles.firstGap(in: gap.lowerBound ... .last) {
      let first = unknown.lowerBound
      client.stepInformation(from: first, through: unknown.upperBound) { [self] step in
        record(step, first, unknown.upperBound, noted) { layout, found, through in
          layout.add(found, from: first, through: through)
        }
      }
    }
  }

  func knownDescriptors(of characteristic: RemoteCharacteristic) -> [RemoteDescriptor] {
    guard let handles = RemoteLayout.descriptorHandles(of: characteristic) else { return [] }
    return Array(layout.descriptors.items(in: handles))
  }

  /// Repeats a step until all of `handles` is searched. Each step searches up to the next handle that was searched before, or to
  /// the last possible handle.
  private func search(
    _ handles: ClosedRange<AttributeHandle>, _ searched: KeyPath<RemoteLayout, HandleSet>,
    _ step: @escaping (AttributeHandle, AttributeHandle, @escaping Completion<Void>) -> Void,
    isOver: @escaping () -> Bool = { false }, _ done: @escaping Completion<Void>
  ) {
    guard let gap = layout[keyPath: searched].firstGap(in: handles) else { return done(.success(())) }
    let ahead = layout[keyPath: searched].firstGap(in: gap.lowerBound ... .last) ?? gap
    step(ahead.lowerBound, ahead.upperBound) { [self] result in
      if case .failure(let error) = result { return done(.failure(error)) }
      if isOver() { return done(.success(())) }
      search(handles, searched, step, isOver: isOver, done)
    }
  }

  /// Adds the results of a step to the layout, with the range in which it found nothing more.
  private func record<Item>(
    _ step: DiscoveryStep<Item>, _ first: AttributeHandle, _ last: AttributeHandle,
    _ done: @escaping Completion<Void>, _ add: (inout RemoteLayout, [Item], AttributeHandle) -> Void
  ) {
    switch step {
    case .found(let items, let through):
      add(&layout, items, through)
      done(.success(()))
    case .ended(.attributeNotFound):
      add(&layout, [], last)
      done(.success(()))
    case .ended(let code): done(.failure(.attribute(code: code.rawValue)))
    case .failed(let error): done(.failure(error))
    }
  }

  /// Completes the UUIDs that include declarations do not contain: from known services, else by reading.
  private func resolveIncludes(
    of service: RemoteService, _ done: @escaping Completion<[IncludeDeclaration]>
  ) {
    let includes = layout.includes.items(in: service.handles).map { include in
      guard include.uuid == nil, let known = layout.services.items(in: include.start...include.start).first else {
        return include
      }
      return IncludeDeclaration(handle: include.handle, start: include.start, end: include.end, uuid: known.uuid)
    }
    client.resolve(includes) { [self] result in
      if case .success(let resolved) = result {
        for include in resolved { layout.includes.insert(include) }
      }
      done(result)
    }
  }
}
