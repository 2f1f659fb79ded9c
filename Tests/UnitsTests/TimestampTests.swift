import Testing
import Units

@Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
    (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_800_000, "2000-03-01T00:00:00.000Z"),
    (1_709_251_199_250, "2024-02-29T23:59:59.250Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
    (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
])
func `a moment is written as RFC 3339`(milliseconds: Int64, text: String) {
    #expect(Timestamp(milliseconds: milliseconds).rfc3339 == text)
    #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
}

@Test func `consecutive days over eight centuries never repeat or skip a date`() {
    var previous = ""
    for day in stride(from: Int64(-146_097), through: 146_097, by: 1) {
        let text = Timestamp(milliseconds: day * 86_400_000).rfc3339
        #expect(text.count == 24)
        if previous > text { Issue.record("\(text) follows \(previous)") }
        if previous == text { Issue.record("\(text) twice") }
        previous = text
    }
    #expect(previous == "2370-01-01T00:00:00.000Z")
}

@Test func `now is after this was written`() {
    #expect(Timestamp.now() > Timestamp(milliseconds: 1_750_000_000_000))
}

@Test(arguments: [
    "", "2026-03-01", "2026-03-01T12:00:00Z", "2026-13-01T12:00:00.000Z", "2026-03-01T24:00:00.000Z",
    "2026-03-01 12:00:00.000Z", "-026-03-01T12:00:00.000Z", "2026-03-01T12:00:00.000+",
])
func `what is no moment in this form is none`(text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
}
