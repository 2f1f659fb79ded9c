#if FAILPOINTS

    internal import Glibc

    extension Failpoint {
        /// Does what the environment asks for here, if anything. `subject` is the job's source, for
        /// failpoints that are meant for one job alone.
        public func reach(_ subject: String? = nil) {
            guard let action = FailpointPlan.armed.strike(self, subject) else { return }
            perform(action)
            while action == .hang { pause() }
        }

        /// As above in a task, which alone is parked: the thread it runs on goes on.
        public func reach(_ subject: String? = nil) async {
            guard let action = FailpointPlan.armed.strike(self, subject) else { return }
            perform(action)
            if action == .hang {
                unsafe await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
        }

        /// The failpoint before a script's request, for scripts that have one.
        public static func reach(before script: String) { Failpoint(rawValue: "before-" + script)?.reach() }
        public static func reach(before script: String) async {
            await Failpoint(rawValue: "before-" + script)?.reach()
        }

        /// The failpoint after a script's answer.
        public static func reach(after script: String) { Failpoint(rawValue: "after-" + script)?.reach() }
        public static func reach(after script: String) async {
            await Failpoint(rawValue: "after-" + script)?.reach()
        }

        /// Signals go to the calling thread, which so cannot take another step.
        private func perform(_ action: FailpointPlan.Action) {
            let note = Array("failpoint \(rawValue): \(action.rawValue)\n".utf8)
            _ = unsafe write(STDERR_FILENO, note, note.count)
            switch action {
            case .kill: _ = raise(SIGKILL)
            case .stop: _ = raise(SIGSTOP)
            case .abort: abort()
            case .hang: return
            }
        }
    }

#else

    extension Failpoint {
        @inlinable public func reach(_ subject: String? = nil) {}
        @inlinable public func reach(_ subject: String? = nil) async {}
        @inlinable public static func reach(before script: String) {}
        @inlinable public static func reach(before script: String) async {}
        @inlinable public static func reach(after script: String) {}
        @inlinable public static func reach(after script: String) async {}
    }

#endif
