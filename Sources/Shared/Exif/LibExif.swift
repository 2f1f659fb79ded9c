import CExif

/// Asks libexif for the orientation in IFD0.
enum LibExif {
    /// The number stored, in range or not; nil when libexif finds none.
    static func orientation(in exif: Span<UInt8>) -> Int? {
        guard let data = unsafe exif_data_new() else { return nil }
        defer { unsafe exif_data_unref(data) }
        // Following the specification would convert or invent entries; we want what is stored.
        unsafe exif_data_unset_option(data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION)
        unsafe exif_data_set_option(data, EXIF_DATA_OPTION_IGNORE_UNKNOWN_TAGS)
        unsafe exif_data_set_option(data, EXIF_DATA_OPTION_DONT_CHANGE_MAKER_NOTE)
        unsafe exif.withUnsafeBufferPointer { buffer in
            unsafe exif_data_load_data(
                data, buffer.baseAddress, UInt32(min(buffer.count, mostBytesRead)))
        }
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

    /// IFD0 stands at the start of real files. libexif copies each entry's value, and entries may all
    /// name the same long one: 64 KiB of hostile bytes would become 48 MiB, these at most 2.
    private static let mostBytesRead = 4096
}
