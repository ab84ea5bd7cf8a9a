//! Takes a static program down to what a kernel loads.
//!
//! Done here rather than by the linker, so that one build gives both the binary and its symbols, and rather than by a
//! `strip`, which a machine may not have for every target. Section headers go too: only debuggers read them.

/// The bytes up to the end of the last segment, with a header that names no sections.
pub fn strip(elf: &[u8]) -> Result<Vec<u8>, String> {
    let wide = match elf.get(..5) {
        Some([0x7f, b'E', b'L', b'F', 1]) => false,
        Some([0x7f, b'E', b'L', b'F', 2]) => true,
        _ => return Err("the linker made no ELF file".to_owned()),
    };
    let number = |at: usize, width: usize| -> Result<usize, String> {
        let bytes = elf.get(at..at + width).ok_or("an ELF file that ends early")?;
        let join = |value: usize, byte: &u8| value << 8 | usize::from(*byte);
        // The sixth byte of the file says which end comes first.
        Ok(if elf[5] == 2 { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) })
    };
    let word = if wide { 8 } else { 4 };
    // Offsets as elf(5) lists them: of the file's header, then of a program header.
    let (segments, sections, counts) = if wide { (32, 40, 54) } else { (28, 32, 42) };
    let (offset, size) = if wide { (8, 32) } else { (4, 16) };
    let (table, entry, count) = (number(segments, word)?, number(counts, 2)?, number(counts + 2, 2)?);
    let mut end = table + entry * count;
    for header in (0..count).map(|index| table + index * entry) {
        end = end.max(number(header + offset, word)? + number(header + size, word)?);
    }
    let mut out = elf.get(..end).ok_or("an ELF file that ends early")?.to_vec();
    out[sections..sections + word].fill(0);
    out[counts + 6..counts + 10].fill(0);
    Ok(out)
}
