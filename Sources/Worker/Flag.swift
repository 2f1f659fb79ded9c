import Synchronization

/// A truth that every thread sees.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set(_ newValue: Bool = true) { value.store(newValue, ordering: .releasing) }
}
