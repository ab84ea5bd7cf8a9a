//! Powers as Go computes them, bit for bit: `math.Pow` with its own decomposition, and the exponential
//! and logarithm it uses on amd64 with fused multiply-add, which is where the reference's answers come from.
//!
//! A correctly rounded power would be no better for the user: values reach manifests and comparisons, and
//! there the same bits count (Surprise 23 of the expression ledger).

#![allow(clippy::excessive_precision, reason = "constants stand as they were published")]

/// `x` to the power of `y`.
#[must_use]
pub fn pow(x: f64, y: f64) -> f64 {
    match special(x, y) {
        Some(answer) => answer,
        None => general(x, y),
    }
}

/// The cases that no multiplication decides.
fn special(x: f64, y: f64) -> Option<f64> {
    if y == 0.0 || x == 1.0 {
        return Some(1.0);
    }
    if y == 1.0 {
        return Some(x);
    }
    if x.is_nan() || y.is_nan() {
        return Some(f64::NAN);
    }
    if x == 0.0 {
        let signed = x.is_sign_negative() && is_odd(y);
        return Some(match (y < 0.0, signed) {
            (true, true) => f64::NEG_INFINITY,
            (true, false) => f64::INFINITY,
            (false, true) => x,
            (false, false) => 0.0,
        });
    }
    if y.is_infinite() {
        return Some(extreme(x, y));
    }
    if x == f64::NEG_INFINITY {
        return special(1.0 / x, -y);
    }
    if x == f64::INFINITY {
        return Some(if y < 0.0 { 0.0 } else { f64::INFINITY });
    }
    if y == 0.5 {
        return Some(libm::sqrt(x));
    }
    if y == -0.5 {
        return Some(1.0 / libm::sqrt(x));
    }
    None
}

/// An exponent without bounds, or so large that it is even and only the direction counts.
fn extreme(x: f64, y: f64) -> f64 {
    if x == -1.0 {
        1.0
    } else if (x.abs() < 1.0) == (y > 0.0) {
        0.0
    } else {
        f64::INFINITY
    }
}

fn is_odd(y: f64) -> bool {
    if y.abs() >= 9_007_199_254_740_992.0 {
        // From 2^53 on every float is even.
        return false;
    }
    libm::trunc(y) == y && (y as i64) & 1 == 1
}

/// The fraction of the exponent by exp and log, its whole part by repeated squaring of the mantissa while
/// the powers of two are counted apart.
fn general(x: f64, y: f64) -> f64 {
    let mut whole = libm::trunc(y.abs());
    let mut fraction = y.abs() - whole;
    if fraction != 0.0 && x < 0.0 {
        return f64::NAN;
    }
    if whole >= 9_223_372_036_854_775_808.0 {
        return extreme(x, y);
    }
    let mut answer = 1.0;
    let mut scale = 0_i32;
    if fraction != 0.0 {
        if fraction > 0.5 {
            fraction -= 1.0;
            whole += 1.0;
        }
        answer = exp(fraction * log(x));
    }
    let (mut square, mut square_scale) = libm::frexp(x);
    let mut bits = whole as i64;
    while bits != 0 {
        if !(-4096..=4096).contains(&square_scale) {
            // Over- or underflow is certain, and doubling the scale further would overflow it.
            scale += square_scale;
            break;
        }
        if bits & 1 == 1 {
            answer *= square;
            scale += square_scale;
        }
        square *= square;
        square_scale <<= 1;
        if square < 0.5 {
            square += square;
            square_scale -= 1;
        }
        bits >>= 1;
    }
    if y < 0.0 {
        answer = 1.0 / answer;
        scale = -scale;
    }
    libm::scalbn(answer, scale)
}

/// Natural logarithm of a positive number after FreeBSD's method: `x = 2^k (1+f)`, a polynomial in
/// `f / (2+f)`.
fn log(x: f64) -> f64 {
    const LN2_HIGH: f64 = 6.931_471_803_691_238_164_90e-01;
    const LN2_LOW: f64 = 1.908_214_929_270_587_700_02e-10;
    const L: [f64; 7] = [
        6.666_666_666_666_735_130e-01,
        3.999_999_999_940_941_908e-01,
        2.857_142_874_366_239_149e-01,
        2.222_219_843_214_978_396e-01,
        1.818_357_216_161_805_012e-01,
        1.531_383_769_920_937_332e-01,
        1.479_819_860_511_658_591e-01,
    ];
    let (mut mantissa, mut power) = libm::frexp(x);
    if mantissa < core::f64::consts::FRAC_1_SQRT_2 {
        mantissa *= 2.0;
        power -= 1;
    }
    let f = mantissa - 1.0;
    let k = f64::from(power);
    let s = f / (2.0 + f);
    let s2 = s * s;
    let s4 = s2 * s2;
    let odd = s2 * (L[0] + s4 * (L[2] + s4 * (L[4] + s4 * L[6])));
    let even = s4 * (L[1] + s4 * (L[3] + s4 * L[5]));
    let half = 0.5 * f * f;
    k * LN2_HIGH - ((half - (s * (half + (odd + even)) + k * LN2_LOW)) - f)
}

/// The exponential after Shibata's method: the argument reduced by multiples of ln 2 and by 16, a Taylor
/// series for `e^r - 1`, squared back four times. Only called with arguments between about -373 and 373.
fn exp(x: f64) -> f64 {
    const LN2_UPPER: f64 = 0.693_147_180_559_662_956_511_601_805_686_950_683_593_75;
    const LN2_LOWER: f64 = 0.282_352_905_630_315_771_225_884_481_750_134_360_255_254_120_68e-12;
    const TAYLOR: [f64; 7] = [
        1.984_126_984_126_984_127_0e-4,
        1.388_888_888_888_888_888_9e-3,
        8.333_333_333_333_333_333_3e-3,
        4.166_666_666_666_666_666_7e-2,
        1.666_666_666_666_666_666_7e-1,
        0.5,
        1.0,
    ];
    let power = libm::rint(x * core::f64::consts::LOG2_E);
    let reduced = libm::fma(-power, LN2_UPPER, x);
    let reduced = libm::fma(-power, LN2_LOWER, reduced) * 0.0625;
    let series = TAYLOR.iter().fold(2.480_158_730_158_730_158_7e-5, |sum, term| libm::fma(sum, reduced, *term));
    let mut grown = reduced * series;
    for _ in 0..3 {
        grown *= grown + 2.0;
    }
    let grown = libm::fma(grown, grown + 2.0, 1.0);
    libm::scalbn(grown, power as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_have_the_bits_of_go() {
        // Each row printed by Go 1.26 on amd64.
        for (x, y, bits) in include!("pow_rows.in") {
            assert_eq!(
                pow(f64::from_bits(x), f64::from_bits(y)).to_bits(),
                bits,
                "{} ** {}",
                f64::from_bits(x),
                f64::from_bits(y)
            );
        }
    }

    #[test]
    fn the_special_cases_are_those_of_go() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        for (x, y, wanted) in [
            (nan, 0.0, 1.0),
            (1.0, nan, 1.0),
            (-0.0, -3.0, -inf),
            (-0.0, -2.0, inf),
            (-0.0, 3.0, -0.0),
            (-1.0, inf, 1.0),
            (0.5, -inf, inf),
            (-inf, 3.0, -inf),
            (-inf, -2.0, 0.0),
            (inf, -1.0, 0.0),
            (-1.0, 1e300, 1.0),
            (2.0, 1e300, inf),
            (2.0, 0.5, core::f64::consts::SQRT_2),
            (2.0, 1023.0, 8.98846567431158e307),
            (2.0, -1074.0, 5e-324),
        ] {
            assert_eq!(pow(x, y).to_bits(), wanted.to_bits(), "{x} ** {y}");
        }
        assert!(pow(-8.0, 1.0 / 3.0).is_nan());
    }
}
