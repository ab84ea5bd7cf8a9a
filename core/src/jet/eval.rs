//! Expressions.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::vec::Vec;

use super::ast::{Expr, ExprKind, Id, Name, Operator};
use super::builtins;
use super::render::Runtime;
use super::value::Val;
use crate::error::{JetFault, Result};
use crate::span::Span;
use crate::text::nearest;
use crate::value::{Int, Shape, Value};

impl<'t> Runtime<'t> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, expr: &'t Expr) -> Result<Val> {
        self.scope.fuel.step(1)?;
        Ok(match &expr.kind {
            ExprKind::Nil => Val::Missing,
            ExprKind::Bool(value) => Val::bool(*value),
            ExprKind::Number(number) => Val::float(*number),
            ExprKind::Text(text) => Val::Plain(Value::Text(text.clone())),
            ExprKind::Identifier(name) => self.identifier(name, expr.span)?,
            ExprKind::Underscore => {
                let what = "_ stands only where a piped value goes".to_owned();
                return Err(self.fault(expr.span, JetFault::Other(what)));
            }
            ExprKind::Field(names) => {
                let mut value = self.context.clone();
                for name in names {
                    value = match self.member(&value, name, expr.span)? {
                        Val::Missing => return Err(self.no_field(name, &value, expr.span)),
                        member => member,
                    };
                }
                value
            }
            ExprKind::Chain(base, names) => self.chain(base, names, expr.span)?,
            ExprKind::Call(base, arguments) => match self.eval(base)? {
                Val::Function(function) => self.call(function, Some(arguments), None, expr.span)?,
                other => {
                    let what = format!("{} is called, but is no function", other.kind());
                    return Err(self.fault(base.span, JetFault::NotFunction(what)));
                }
            },
            ExprKind::Index(base, index) => {
                let (base, at) = (self.eval(base)?, self.eval(index)?);
                self.index(&base, &at, expr.span)?
            }
            ExprKind::Slice(base, from, to) => {
                let base = self.eval(base)?;
                self.slice(&base, from.as_deref(), to.as_deref(), expr.span)?
            }
            ExprKind::Not(of) => Val::bool(!self.eval(of)?.is_true()),
            ExprKind::Sign { negative, of } => match self.eval(of)? {
                Val::Plain(Value::Float(number)) => Val::float(if *negative { -number } else { number }),
                Val::Plain(Value::Int(int)) if *negative => {
                    Val::Plain(Value::Int(Int::from(int.wrapping_i64().wrapping_neg())))
                }
                value @ Val::Plain(Value::Int(_)) => value,
                other => return Err(self.type_fault(expr.span, "a sign", &other)),
            },
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right)?,
            ExprKind::Ternary(parts) => {
                let [condition, then, otherwise] = &**parts;
                let chosen = if self.eval(condition)?.is_true() { then } else { otherwise };
                self.eval(chosen)?
            }
        })
    }

    fn type_fault(&self, span: Span, operator: &str, value: &Val) -> crate::Error {
        self.fault(span, JetFault::Type(format!("{operator} does not take {}", value.kind())))
    }

    pub(super) fn identifier(&self, name: &Name, span: Span) -> Result<Val> {
        if name.id == Id::DOT {
            return Ok(self.context.clone());
        }
        if let Some(slot) = self.variables.get(name) {
            return Ok(slot.value());
        }
        let name = &*name.text;
        if let Some(function) = builtins::find(name, self.scope.functions.signatures()) {
            return Ok(Val::Function(function));
        }
        let mut known: Vec<&str> = self.variables.names().collect();
        known.extend(builtins::names());
        known.extend(self.scope.functions.signatures().iter().map(|signature| signature.name));
        let hint = nearest::hint(name, known);
        Err(self.fault(span, JetFault::UnknownIdentifier { name: name.into(), hint }))
    }

    /// Whether a name means anything.
    pub(super) fn knows(&self, name: &Name) -> bool {
        name.id == Id::DOT
            || self.variables.get(name).is_some()
            || builtins::find(&name.text, self.scope.functions.signatures()).is_some()
    }

    /// Pays for a look at all data of a value.
    fn look_at(&self, value: &Val) -> Result<()> {
        let weight = value.data().map_or(0, |data| data.extent().weight);
        self.scope.fuel.scan(usize::try_from(weight).unwrap_or(usize::MAX))
    }

    fn no_field(&self, name: &str, of: &Val, span: Span) -> crate::Error {
        let of = if matches!(of, Val::Missing) { "a missing member" } else { of.kind() };
        self.fault(span, JetFault::NoSuchField { field: name.into(), of })
    }

    /// Fields behind a value. The last may be missing from a map; a field of what is missing is an error.
    fn chain(&mut self, base: &'t Expr, names: &'t [crate::value::Text], span: Span) -> Result<Val> {
        let mut value = self.eval(base)?;
        for (at, name) in names.iter().enumerate() {
            value = match self.member(&value, name, span)? {
                Val::Missing
                    if at + 1 == names.len()
                        && matches!(value, Val::Plain(Value::Map(_)) | Val::Inside(Value::Map(_))) =>
                {
                    Val::Missing
                }
                Val::Missing => return Err(self.no_field(name, &value, span)),
                member => member,
            };
        }
        Ok(value)
    }

    /// A field by its name; `Missing` where a map lacks it.
    fn member(&self, of: &Val, name: &str, span: Span) -> Result<Val> {
        match of {
            Val::NoMap => Ok(Val::Missing),
            Val::Plain(Value::Map(map)) | Val::Inside(Value::Map(map)) => Ok(match (map.field(name), map.shape()) {
                (Some(value), _) => value.clone().into(),
                (None, Shape::Texts) => Val::Plain("".into()),
                (None, _) => Val::Missing,
            }),
            Val::Plain(Value::List(_) | Value::Text(_))
            | Val::Inside(Value::List(_) | Value::Text(_))
            | Val::Texts(_)
            | Val::Bytes(_) => {
                let what = format!("{} is indexed by a number, not by {name}", of.kind());
                Err(self.fault(span, JetFault::Index(what)))
            }
            _ => Err(self.no_field(name, of, span)),
        }
    }

    /// `base[index]`
    pub(super) fn index(&self, base: &Val, index: &Val, span: Span) -> Result<Val> {
        if let (Val::Plain(Value::Text(name)), true) = (index, is_map(base)) {
            return self.member(base, name, span);
        }
        let number = |length: usize| -> Result<usize> {
            let at = match index {
                Val::Plain(Value::Int(int)) => int.as_i64(),
                Val::Plain(Value::Float(float)) => Some(*float as i64),
                other => {
                    let what = format!("cannot index {} with {}", base.kind(), other.kind());
                    return Err(self.fault(span, JetFault::Index(what)));
                }
            };
            at.and_then(|at| usize::try_from(at).ok()).filter(|at| *at < length).ok_or_else(|| {
                let mut shown = alloc::string::String::new();
                index.print(&mut shown);
                self.fault(span, JetFault::Index(format!("index {shown} is out of range of {length}")))
            })
        };
        match base {
            Val::Plain(Value::List(items)) | Val::Inside(Value::List(items)) | Val::Texts(items) => {
                Ok(items.get(number(items.len())?).cloned().map_or(Val::Missing, Val::from))
            }
            Val::Plain(Value::Text(text)) | Val::Inside(Value::Text(text)) | Val::Bytes(text) => {
                let byte = text.as_bytes().get(number(text.len())?).copied().unwrap_or(0);
                Ok(Val::Plain(Value::from(i64::from(byte))))
            }
            map if is_map(map) => {
                let what = format!("keys of a map are text, not {}", index.kind());
                Err(self.fault(span, JetFault::Index(what)))
            }
            other => {
                let fault = JetFault::NoSuchField { field: index.joined().as_ref().into(), of: other.kind() };
                Err(self.fault(span, fault))
            }
        }
    }

    fn slice(&mut self, base: &Val, from: Option<&'t Expr>, to: Option<&'t Expr>, span: Span) -> Result<Val> {
        let length = match base {
            Val::Plain(Value::List(items)) | Val::Inside(Value::List(items)) | Val::Texts(items) => items.len(),
            Val::Plain(Value::Text(text)) | Val::Inside(Value::Text(text)) | Val::Bytes(text) => text.len(),
            other => return Err(self.fault(span, JetFault::Index(format!("{} cannot be sliced", other.kind())))),
        };
        let mut bound = |expr: Option<&'t Expr>, default: usize| -> Result<i64> {
            let Some(expr) = expr else { return Ok(default as i64) };
            match self.eval(expr)? {
                Val::Plain(Value::Int(int)) => Ok(int.wrapping_i64()),
                Val::Plain(Value::Float(float)) => Ok(float as i64),
                other => {
                    let what = format!("a slice is bounded by numbers, not by {}", other.kind());
                    Err(self.fault(expr.span, JetFault::Index(what)))
                }
            }
        };
        let (from, to) = (bound(from, 0)?, bound(to, length)?);
        let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
        let Some((from, to)) = range.filter(|(from, to)| from <= to && *to <= length) else {
            let what = format!("slice [{from}:{to}] is out of range of {length}");
            return Err(self.fault(span, JetFault::Index(what)));
        };
        let width = if matches!(base, Val::Bytes(_) | Val::Plain(Value::Text(_)) | Val::Inside(Value::Text(_))) {
            1
        } else {
            size_of::<Value>()
        };
        self.scope.fuel.text((to - from).saturating_mul(width))?;
        let cut = |text: &str| {
            let what = "slice cuts a character in two; text is UTF-8".to_owned();
            text.get(from..to).map(crate::value::Text::from).ok_or_else(|| self.fault(span, JetFault::Index(what)))
        };
        Ok(match base {
            Val::Plain(Value::List(items)) | Val::Inside(Value::List(items)) => {
                Val::Plain(Value::list(items.get(from..to).unwrap_or(&[]).to_vec()))
            }
            Val::Texts(items) => Val::Texts(items.get(from..to).unwrap_or(&[]).to_vec().into()),
            Val::Bytes(text) => Val::Bytes(cut(text)?),
            Val::Plain(Value::Text(text)) | Val::Inside(Value::Text(text)) => Val::Plain(Value::Text(cut(text)?)),
            _ => Val::Missing,
        })
    }

    fn binary(&mut self, operator: Operator, left: &'t Expr, right: &'t Expr) -> Result<Val> {
        let (left_span, right_span) = (left.span, right.span);
        let left = self.eval(left)?;
        match operator {
            Operator::And => return Ok(Val::bool(left.is_true() && self.eval(right)?.is_true())),
            Operator::Or => return Ok(Val::bool(left.is_true() || self.eval(right)?.is_true())),
            _ => {}
        }
        let right = self.eval(right)?;
        let site = |error: crate::Error| error.at(self.template.source.at(right_span));
        match operator {
            Operator::Equal | Operator::NotEqual => {
                self.look_at(&left)?;
                return Ok(Val::bool(equal(&left, &right) == (operator == Operator::Equal)));
            }
            Operator::Greater | Operator::GreaterEqual | Operator::Less | Operator::LessEqual => {
                let Val::Plain(number @ (Value::Int(_) | Value::Float(_))) = &left else {
                    return Err(self.type_fault(left_span, "an ordering", &left));
                };
                return compare(operator, number, &right).map(Val::bool).map_err(site);
            }
            Operator::Add if matches!(left, Val::Plain(Value::Text(_))) => {
                if matches!(right, Val::Missing) {
                    return Err(self.type_fault(right_span, "+", &right));
                }
                self.look_at(&left)?;
                self.look_at(&right)?;
                let (left, right) = (left.joined(), right.joined());
                self.scope.fuel.text(left.len() + right.len())?;
                let joined = format!("{left}{right}");
                return Ok(Val::Plain(joined.into()));
            }
            Operator::Divide | Operator::Remainder if is_zero(&right) => {
                return Err(self.fault(right_span, JetFault::DivisionByZero));
            }
            _ => {}
        }
        let Val::Plain(number @ (Value::Int(_) | Value::Float(_))) = &left else {
            return Err(self.type_fault(left_span, "arithmetic", &left));
        };
        match arithmetic(operator, number, &right).map_err(site)? {
            Some(value) => Ok(Val::Plain(value)),
            None => Err(self.fault(right_span, JetFault::DivisionByZero)),
        }
    }
}

fn is_map(value: &Val) -> bool {
    matches!(value, Val::NoMap | Val::Plain(Value::Map(_)) | Val::Inside(Value::Map(_)))
}

/// What dividing by is refused for: zero of any kind.
fn is_zero(value: &Val) -> bool {
    match value {
        Val::Plain(Value::List(_) | Value::Map(_)) | Val::Inside(_) => false,
        other => !other.is_true(),
    }
}

/// An integer on the left computes with integers unless the right side is a float; a float with floats.
/// `None` for a division by zero that only conversion shows.
fn arithmetic(operator: Operator, left: &Value, right: &Val) -> Result<Option<Value>> {
    let promoted = matches!(right, Val::Plain(Value::Float(_)));
    if let (Value::Int(int), false) = (left, promoted && operator != Operator::Remainder) {
        let (a, b) = (int.wrapping_i64(), right.to_integer()?);
        let whole = match operator {
            Operator::Add => a.wrapping_add(b),
            Operator::Subtract => a.wrapping_sub(b),
            Operator::Multiply => a.wrapping_mul(b),
            Operator::Divide | Operator::Remainder if b == 0 => return Ok(None),
            Operator::Divide => a.wrapping_div(b),
            _ => a.wrapping_rem(b),
        };
        return Ok(Some(Value::from(whole)));
    }
    let a = match left {
        Value::Int(int) => int.as_f64(),
        Value::Float(float) => *float,
        _ => 0.0,
    };
    if operator == Operator::Remainder {
        let b = right.to_integer()?;
        return Ok(if b == 0 { None } else { Some(Value::from((a as i64).wrapping_rem(b))) });
    }
    let b = right.to_float()?;
    Ok(Some(Value::Float(match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        _ => a / b,
    })))
}

fn compare(operator: Operator, left: &Value, right: &Val) -> Result<bool> {
    let order = match (left, right) {
        (Value::Int(int), Val::Plain(Value::Float(float))) => int.as_f64().partial_cmp(float),
        (Value::Int(int), _) => int.wrapping_i64().partial_cmp(&right.to_integer()?),
        (Value::Float(float), _) => float.partial_cmp(&right.to_float()?),
        _ => None,
    };
    Ok(order.is_some_and(|order| match operator {
        Operator::Greater => order.is_gt(),
        Operator::GreaterEqual => order.is_ge(),
        Operator::Less => order.is_lt(),
        _ => order.is_le(),
    }))
}

/// Equality in the sense of the language: an integer on the left cuts off the fraction on the right.
fn equal(left: &Val, right: &Val) -> bool {
    let (left, right) = (left.data().unwrap_or_default(), right.data().unwrap_or_default());
    equal_data(&left, &right)
}

fn equal_data(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Int(int), Value::Float(float)) => int.as_i64() == Some(*float as i64),
        (Value::List(left), Value::List(right)) => {
            left.len() == right.len() && left.iter().zip(right.iter()).all(|(left, right)| equal_data(left, right))
        }
        (Value::Map(left), Value::Map(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| equal_data(value, other)))
        }
        _ => left == right,
    }
}
