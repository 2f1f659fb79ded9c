import Testing
import Units

@Test(arguments: [
    ("500ms", Duration.milliseconds(500)), ("25s", .seconds(25)), ("25", .seconds(25)), ("2m", .seconds(120)),
    ("1.5h", .seconds(5_400)), ("7d", .seconds(604_800)), ("0", .zero), ("0.25s", .milliseconds(250)),
])
func `a length of time is read with its unit`(text: String, length: Duration) throws {
    #expect(try Duration(parsing: text) == length)
}

@Test(arguments: ["", "s", "-1s", "1 week", "5 S", "1e3s", "99999999999999999999d", "9223372036854775807s"])
func `what is no length of time is refused`(text: String) {
    #expect(throws: UnitError.self) { try Duration(parsing: text) }
}

@Test(arguments: [
    (Duration.zero, "0 ms"), (.milliseconds(850), "850 ms"), (.milliseconds(2_550), "2.5 s"),
    (.seconds(9), "9 s"), (.seconds(25), "25 s"), (.seconds(60), "1 m"), (.seconds(90), "1 m 30 s"),
    (.seconds(11_100), "3 h 5 m"), (.seconds(187_200), "2 d 4 h"), (.milliseconds(-850), "-850 ms"),
])
func `a length of time reads well`(length: Duration, text: String) {
    #expect(length.shortText == text)
}

@Test func `whole milliseconds stop at the ends`() {
    #expect(Duration.seconds(Int64.max).wholeMilliseconds == .max)
    #expect(Duration.seconds(Int64.min).wholeMilliseconds == .min)
    #expect(Duration.nanoseconds(1_999_999).wholeMilliseconds == 1)
}
