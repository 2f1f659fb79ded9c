import Redis
import Testing

struct ReminderTests {
    @Test func `a reminder is due for each cause at once, and half a minute later again`() {
        var reminder = Reminder<String>()
        let start = ContinuousClock.now
        let due = [
            reminder.isDue("away", at: start), reminder.isDue("away", at: start + .seconds(29)),
            reminder.isDue("password", at: start + .seconds(29)),
            reminder.isDue("away", at: start + .seconds(30)),
            reminder.isDue("password", at: start + .seconds(31)),
        ]
        #expect(due == [true, false, true, true, false])
    }
}
