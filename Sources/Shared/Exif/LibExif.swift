import CExif

/// Asks libexif for the orientation in IFD0.
enum LibExif {
    /// The number stored, in range or not; nil when libexif finds none.
    static func orientation(in exif: Span<UInt8>) -> Int? {
        let data = unsafe exif.withUnsafeBufferPointer { buffer in
            unsafe cexif_load(buffer.baseAddress, UInt32(min(buffer.count, mostBytesRead)), mostMemory)
        }
        guard let data = unsafe data else { return nil }
        defer { unsafe exif_data_unref(data) }
        // ifd.0 is EXIF_IFD_0: libexif itself never looks for the tag in the thumbnail's IFD1 here.
        let entry = unsafe exif_content_get_entry(data.pointee.ifd.0, EXIF_TAG_ORIENTATION)
        guard let entry = unsafe entry, unsafe entry.pointee.components >= 1 else { return nil }
        return unsafe value(of: entry.pointee, exif_data_get_byte_order(data))
    }

    private static func value(of entry: ExifEntry, _ order: ExifByteOrder) -> Int? {
        let size = unsafe Int(entry.size)
        guard let bytes = unsafe entry.data else { return nil }
        switch unsafe entry.format {
        case EXIF_FORMAT_BYTE where size >= 1: return unsafe Int(bytes[0])
        case EXIF_FORMAT_SHORT where size >= 2: return unsafe Int(exif_get_short(bytes, order))
        case EXIF_FORMAT_LONG where size >= 4: return unsafe Int(exif_get_long(bytes, order))
        default: return nil
        }
    }

    /// IFD0 stands at the start of real files.
    private static let mostBytesRead = 4096
    /// libexif copies each entry's value, and entries may all name the same long one: 4 KiB of hostile bytes
    /// would become 120. Of 108 real files none takes more than 19.
    private static let mostMemory = 32 << 10
}
