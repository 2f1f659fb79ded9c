/// The names of every member of a JSON value, as `outputs.width`: what a reader in another language relies on.
struct JSONShape: Decodable {
    private(set) var paths: Set<String> = []

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: Name.self) {
            for name in object.allKeys {
                paths.insert(name.stringValue)
                let member = try object.decode(JSONShape.self, forKey: name)
                paths.formUnion(member.paths.map { name.stringValue + "." + $0 })
            }
        } else if var array = try? decoder.unkeyedContainer() {
            while !array.isAtEnd { paths.formUnion(try array.decode(JSONShape.self).paths) }
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { return nil }
    }
}
