//! The `cpu` family: one entry a logical processor, from `/proc/cpuinfo` and `/sys`.

use ccm_core::value::Value;

use super::{Fields, Roots, int, map, record};

const INFO: Fields = &[
    ("CPU", "cpu"),
    ("CacheSize", "cacheSize"),
    ("CoreID", "coreId"),
    ("Cores", "cores"),
    ("Family", "family"),
    ("Flags", "flags"),
    ("Mhz", "mhz"),
    ("Microcode", "microcode"),
    ("Model", "model"),
    ("ModelName", "modelName"),
    ("PhysicalID", "physicalId"),
    ("Stepping", "stepping"),
    ("VendorID", "vendorId"),
];

pub(super) fn facts(roots: &Roots, wanted: bool) -> Value {
    let text = if wanted { roots.cpuinfo() } else { "" };
    let info: Vec<Value> = parse(text).into_iter().map(|processor| processor.finish(roots)).collect();
    Value::Map(map(vec![("info", info.into())]))
}

#[derive(Default)]
struct Processor<'a> {
    number: i64,
    vendor: &'a str,
    family: &'a str,
    model: &'a str,
    stepping: i64,
    physical: &'a str,
    core: &'a str,
    name: &'a str,
    mhz: f64,
    cache: i64,
    flags: Vec<&'a str>,
    microcode: &'a str,
}

impl Processor<'_> {
    /// With what /sys knows better.
    fn finish(self, roots: &Roots) -> Value {
        let sys = |name: &str| roots.sys(&format!("devices/system/cpu/cpu{}/{name}", self.number));
        let core = match self.core {
            "" => sys("topology/core_id").map(|text| text.trim().to_owned()).unwrap_or_default(),
            core => core.to_owned(),
        };
        let fastest = sys("cpufreq/cpuinfo_max_freq").and_then(|text| text.trim().parse::<f64>().ok());
        let mhz = match fastest.map(|khz| khz / 1000.0) {
            Some(odd) if odd > 9999.0 => odd / 1000.0,
            Some(mhz) => mhz,
            None => self.mhz,
        };
        let flags = match self.flags.is_empty() {
            true => Value::Null,
            false => self.flags.iter().map(|flag| Value::from(*flag)).collect::<Vec<_>>().into(),
        };
        record(
            INFO,
            vec![
                ("cacheSize", self.cache.into()),
                ("coreId", core.into()),
                ("cores", int(1)),
                ("cpu", self.number.into()),
                ("family", self.family.into()),
                ("flags", flags),
                ("mhz", mhz.into()),
                ("microcode", self.microcode.into()),
                ("model", self.model.into()),
                ("modelName", self.name.into()),
                ("physicalId", self.physical.into()),
                ("stepping", self.stepping.into()),
                ("vendorId", self.vendor.into()),
            ],
        )
    }
}

/// The processors of a `cpuinfo`; from a line that makes no sense on, nothing.
fn parse(text: &str) -> Vec<Processor<'_>> {
    let mut done = Vec::new();
    let mut current: Option<Processor<'_>> = None;
    // Old ARM kernels name the processor once, before all others.
    let mut inherited = "";
    for line in text.lines() {
        let Some((key, value)) = line.split_once(':') else { continue };
        let (key, value) = (key.trim(), value.trim());
        match (key, &mut current) {
            ("Processor", _) => inherited = value,
            ("processor" | "cpu number", _) => {
                done.extend(current.take());
                let Some(number) = number_of(value) else { return done };
                current = Some(Processor { number, name: inherited, ..Processor::default() });
            }
            (_, Some(processor)) => {
                if member(processor, key, value).is_none() {
                    break;
                }
            }
            (_, None) => {}
        }
    }
    done.extend(current);
    done
}

fn number_of(value: &str) -> Option<i64> {
    value.parse::<i32>().ok().filter(|number| *number >= 0).map(i64::from)
}

/// One line of a processor; `None` for a number that is none.
fn member<'a>(processor: &mut Processor<'a>, key: &str, value: &'a str) -> Option<()> {
    match key {
        "vendor_id" | "vendorId" => processor.vendor = value,
        "CPU implementer" => processor.vendor = known(IMPLEMENTERS, value).unwrap_or(processor.vendor),
        "mvendorid" => processor.vendor = known(RISC_V_VENDORS, value).unwrap_or(processor.vendor),
        "cpu family" | "marchid" => processor.family = value,
        "model" | "CPU part" | "mimpid" => {
            processor.model = value;
            if processor.vendor == "ARM" && key == "CPU part" {
                processor.name = known(ARM_PARTS, value).unwrap_or("Undefined");
            }
        }
        "model name" | "Model Name" | "cpu" | "uarch" => {
            processor.name = value;
            if value.contains("POWER") {
                processor.model = value.split(' ').next().unwrap_or("");
                (processor.family, processor.vendor) = ("POWER", "IBM");
            }
        }
        "stepping" | "CPU revision" if value != "unknown" => processor.stepping = value.parse().ok()?,
        "revision" => processor.stepping = value.split('.').next()?.parse().ok()?,
        "physical id" | "hart" => processor.physical = value,
        "core id" => processor.core = value,
        "cpu MHz" | "clock" | "cpu MHz dynamic" => {
            processor.mhz = value.trim_end_matches("MHz").parse().unwrap_or(processor.mhz);
        }
        "cache size" => processor.cache = value.split(' ').next()?.parse::<i32>().ok()?.into(),
        "flags" | "Features" => {
            processor.flags = value.split([' ', ',']).filter(|flag| !flag.is_empty()).collect();
        }
        "isa" | "hart isa" => processor.flags = risc_v_flags(value),
        "microcode" => processor.microcode = value,
        _ => {}
    }
    Some(())
}

/// `rv64imac_zicsr`: one letter an extension, then words.
fn risc_v_flags(isa: &str) -> Vec<&str> {
    let Some(rest) = isa.strip_prefix("rv64") else { return Vec::new() };
    let (letters, words) = rest.split_once('_').unwrap_or((rest, ""));
    let letters = letters.char_indices().map(|(at, letter)| &letters[at..at + letter.len_utf8()]);
    letters.chain(words.split('_').filter(|word| !word.is_empty())).collect()
}

/// The name of a hexadecimal number.
fn known(table: &[(u16, &'static str)], value: &str) -> Option<&'static str> {
    let number = u16::from_str_radix(value.trim_start_matches("0x"), 16).ok()?;
    table.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}

const IMPLEMENTERS: &[(u16, &str)] = &[
    (0x41, "ARM"),
    (0x42, "Broadcom"),
    (0x43, "Cavium"),
    (0x44, "DEC"),
    (0x46, "Fujitsu"),
    (0x48, "HiSilicon"),
    (0x49, "Infineon"),
    (0x4d, "Motorola/Freescale"),
    (0x4e, "NVIDIA"),
    (0x50, "APM"),
    (0x51, "Qualcomm"),
    (0x56, "Marvell"),
    (0x61, "Apple"),
    (0x69, "Intel"),
    (0xc0, "Ampere"),
];

const RISC_V_VENDORS: &[(u16, &str)] =
    &[(0x31e, "Andes"), (0x029, "Microchip"), (0x127, "MIPS"), (0x489, "SiFive"), (0x5b7, "T-Head")];

/// Part numbers of ARM's own designs, as the kernel's `cputype.h` has them.
const ARM_PARTS: &[(u16, &str)] = &[
    (0x810, "ARM810"),
    (0x920, "ARM920"),
    (0x922, "ARM922"),
    (0x926, "ARM926"),
    (0x940, "ARM940"),
    (0x946, "ARM946"),
    (0x966, "ARM966"),
    (0xa20, "ARM1020"),
    (0xa22, "ARM1022"),
    (0xa26, "ARM1026"),
    (0xb02, "ARM11 MPCore"),
    (0xb36, "ARM1136"),
    (0xb56, "ARM1156"),
    (0xb76, "ARM1176"),
    (0xc05, "Cortex-A5"),
    (0xc07, "Cortex-A7"),
    (0xc08, "Cortex-A8"),
    (0xc09, "Cortex-A9"),
    (0xc0d, "Cortex-A17"),
    (0xc0f, "Cortex-A15"),
    (0xc0e, "Cortex-A17"),
    (0xc14, "Cortex-R4"),
    (0xc15, "Cortex-R5"),
    (0xc17, "Cortex-R7"),
    (0xc18, "Cortex-R8"),
    (0xc20, "Cortex-M0"),
    (0xc21, "Cortex-M1"),
    (0xc23, "Cortex-M3"),
    (0xc24, "Cortex-M4"),
    (0xc27, "Cortex-M7"),
    (0xc60, "Cortex-M0+"),
    (0xd01, "Cortex-A32"),
    (0xd02, "Cortex-A34"),
    (0xd03, "Cortex-A53"),
    (0xd04, "Cortex-A35"),
    (0xd05, "Cortex-A55"),
    (0xd06, "Cortex-A65"),
    (0xd07, "Cortex-A57"),
    (0xd08, "Cortex-A72"),
    (0xd09, "Cortex-A73"),
    (0xd0a, "Cortex-A75"),
    (0xd0b, "Cortex-A76"),
    (0xd0c, "Neoverse-N1"),
    (0xd0d, "Cortex-A77"),
    (0xd0e, "Cortex-A76AE"),
    (0xd13, "Cortex-R52"),
    (0xd20, "Cortex-M23"),
    (0xd21, "Cortex-M33"),
    (0xd40, "Neoverse-V1"),
    (0xd41, "Cortex-A78"),
    (0xd42, "Cortex-A78AE"),
    (0xd43, "Cortex-A65AE"),
    (0xd44, "Cortex-X1"),
    (0xd46, "Cortex-A510"),
    (0xd47, "Cortex-A710"),
    (0xd48, "Cortex-X2"),
    (0xd49, "Neoverse-N2"),
    (0xd4a, "Neoverse-E1"),
    (0xd4b, "Cortex-A78C"),
    (0xd4c, "Cortex-X1C"),
    (0xd4d, "Cortex-A715"),
    (0xd4e, "Cortex-X3"),
    (0xd4f, "Neoverse-V2"),
    (0xd80, "Cortex-A520"),
    (0xd81, "Cortex-A720"),
    (0xd82, "Cortex-X4"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_none_ends_the_list() {
        let found = parse("processor: 0\nmodel: 1\nstepping: x\nmodel: 2\nprocessor: 1\n");
        assert_eq!((found.len(), found[0].model), (1, "1"));
        assert_eq!(parse("processor: 0\nprocessor: x\nprocessor: 2\n").len(), 1);
        assert!(parse("model: 1\n\0\u{fffd}").is_empty());
    }

    #[test]
    fn flags_of_risc_v_are_letters_and_words() {
        assert_eq!(risc_v_flags("rv64imc_zicsr_zba"), ["i", "m", "c", "zicsr", "zba"]);
        assert!(risc_v_flags("mips1 mips2").is_empty());
    }
}
