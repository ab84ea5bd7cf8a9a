//! Evaluates pipelines: commands, operands, fields and calls.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Fault, Renderer};
use crate::error::Result;
use crate::gotmpl::ast::{Command, Field, Function, Operand, OperandKind, Pipeline, Variable};
use crate::gotmpl::builtins::Builtin;
use crate::gotmpl::val::{Bytes, Val};
use crate::span::Span;
use crate::text::{brief, nearest};
use crate::value::Shape;

impl<'a> Renderer<'a> {
    pub(super) fn pipeline(&mut self, pipeline: &'a Pipeline) -> Result<Val<'a>> {
        let mut value = None;
        for command in &pipeline.commands {
            let next = self.command(command, value)?;
            value = Some(if let Val::Nil = next { Val::Absent } else { next });
        }
        let value = value.unwrap_or(Val::Absent);
        for &target in &pipeline.targets {
            if !pipeline.assigns {
                self.scopes.declare(target, value.clone());
                continue;
            }
            match self.scopes.get_mut(target) {
                Some(variable) => *variable = value.clone(),
                None => {
                    let name = self.set.variables.get(target as usize).map_or("", |name| name);
                    return self.fail(Fault::UndeclaredVariable(name.into()), pipeline.span);
                }
            }
        }
        Ok(value)
    }

    /// `last` is the value of the command before.
    fn command(&mut self, command: &'a Command, last: Option<Val<'a>>) -> Result<Val<'a>> {
        self.fuel.step(1)?;
        let head = &command.head;
        let applied = !command.arguments.is_empty() || last.is_some();
        match &head.kind {
            OperandKind::Field(fields) => {
                let dot = self.dot.clone();
                self.fields(dot, fields, applied)
            }
            OperandKind::Function(function) => self.apply(*function, head.span, &command.arguments, last),
            OperandKind::Variable(variable, fields) if !fields.is_empty() => {
                let value = self.variable(*variable, head.span)?;
                self.fields(value, fields, applied)
            }
            OperandKind::Variable(variable, _) => {
                let value = self.variable(*variable, head.span)?;
                self.check_bare(head, applied)?;
                Ok(value)
            }
            OperandKind::Chain(term, fields) => {
                let value = self.operand(term)?;
                self.fields(value, fields, applied)
            }
            OperandKind::Nil => {
                self.check_bare(head, applied)?;
                self.fail(Fault::NilValue("nil is no command".into()), head.span)
            }
            _ => {
                self.check_bare(head, applied)?;
                self.operand(head)
            }
        }
    }

    fn check_bare(&self, head: &Operand, applied: bool) -> Result<()> {
        if !applied {
            return Ok(());
        }
        self.fail(Fault::NotFunction(head.span.of(self.text).into()), head.span)
    }

    /// An operand on its own, as an argument is.
    fn operand(&mut self, operand: &'a Operand) -> Result<Val<'a>> {
        self.fuel.step(1)?;
        Ok(match &operand.kind {
            OperandKind::Dot => self.dot.clone(),
            OperandKind::Nil => Val::Nil,
            OperandKind::Bool(value) => Val::Bool(*value),
            OperandKind::Int(int) => Val::Int(*int),
            OperandKind::Float(float) => Val::Float(*float),
            OperandKind::Complex(real, imaginary) => Val::Complex(*real, *imaginary),
            OperandKind::Huge => {
                return self.fail(Fault::Overflow(brief(operand.span.of(self.text))), operand.span);
            }
            OperandKind::Text(text) => Val::Text(Bytes::Lent(text)),
            OperandKind::Field(fields) => {
                let dot = self.dot.clone();
                return self.fields(dot, fields, false);
            }
            OperandKind::Variable(variable, fields) => {
                let value = self.variable(*variable, operand.span)?;
                return self.fields(value, fields, false);
            }
            OperandKind::Function(function) => return self.apply(*function, operand.span, &[], None),
            OperandKind::Parens(pipeline) => return self.pipeline(pipeline),
            OperandKind::Chain(term, fields) => {
                let value = self.operand(term)?;
                return self.fields(value, fields, false);
            }
        })
    }

    fn variable(&self, variable: Variable, span: Span) -> Result<Val<'a>> {
        match self.scopes.get(variable) {
            Some(value) => Ok(value.clone()),
            None => {
                let name = self.set.variables.get(variable as usize).map_or("", |name| name);
                self.fail(Fault::UndeclaredVariable(name.into()), span)
            }
        }
    }

    /// Follows fields; `applied` says that the last one is given arguments, which none takes.
    fn fields(&mut self, mut value: Val<'a>, fields: &'a [Field], applied: bool) -> Result<Val<'a>> {
        self.fuel.step(fields.len() as u64)?;
        let last = fields.len().saturating_sub(1);
        for (at, field) in fields.iter().enumerate() {
            value = self.field(&value, field, applied && at == last)?;
        }
        Ok(value)
    }

    pub(super) fn field(&self, value: &Val<'a>, field: &'a Field, applied: bool) -> Result<Val<'a>> {
        match value {
            Val::Map(map) => match map.field(&field.name) {
                Some(found) if !applied => Ok(found),
                None if matches!(map.map().shape(), Shape::Struct(_) | Shape::Record(_)) => {
                    self.unknown_field(value, field)
                }
                _ if applied => self.fail(Fault::NotFunction(field.span.of(self.text).into()), field.span),
                _ => Ok(Val::Absent),
            },
            Val::Absent => Ok(Val::Absent),
            Val::Nil => {
                let text = format!("field {} asked of nothing", field.name);
                self.fail(Fault::NilValue(text), field.span)
            }
            _ => self.unknown_field(value, field),
        }
    }

    #[cold]
    fn unknown_field(&self, value: &Val<'a>, field: &Field) -> Result<Val<'a>> {
        let mut known: Vec<String> = Vec::new();
        if let Val::Map(map) = value {
            match map.map().shape() {
                Shape::Struct(layout) => known.extend(layout.fields.iter().map(|&name| name.into())),
                _ => known.extend(map.map().iter().map(|(name, _)| (&**name).into())),
            }
        }
        let nearest = nearest(&field.name, known.iter().map(String::as_str)).map(Into::into);
        let of = value.kind().into();
        self.fail(Fault::UnknownField { field: (*field.name).into(), of, known, nearest }, field.span)
    }

    fn apply(
        &mut self,
        function: Function,
        span: Span,
        arguments: &'a [Operand],
        last: Option<Val<'a>>,
    ) -> Result<Val<'a>> {
        let given = arguments.len() + usize::from(last.is_some());
        let (least, most) = match function {
            Function::Builtin(builtin) => builtin.arity(),
            Function::Provided { least, most, .. } => (least, most),
        };
        if given < usize::from(least) || (most < u8::MAX && given > usize::from(most)) {
            return self.miscounted(function, span, least, most, given);
        }
        if let Function::Builtin(builtin @ (Builtin::And | Builtin::Or)) = function {
            return self.logic(builtin, arguments, last);
        }
        self.fuel.step(3)?;
        let mut values = Vec::with_capacity(given);
        for (at, argument) in arguments.iter().enumerate() {
            if at == 0 && function == Function::Builtin(Builtin::Printf) {
                values.push(self.format(argument)?);
            } else {
                values.push(self.operand(argument)?);
            }
        }
        values.extend(last);
        match function {
            Function::Builtin(builtin) => builtin.apply(&values, self.fuel).map_err(|error| self.place(error, span)),
            Function::Provided { at, .. } => self.provided(at, span, &values),
        }
    }

    /// The format of `printf`, which must be text before the other arguments are looked at.
    fn format(&mut self, operand: &'a Operand) -> Result<Val<'a>> {
        let value = match operand.kind {
            OperandKind::Huge => Val::Nil,
            _ => self.operand(operand)?,
        };
        if let Val::Text(_) = value {
            return Ok(value);
        }
        let text = format!("printf needs text as its format, not {}", operand.span.of(self.text));
        let absent = matches!(value, Val::Absent);
        self.fail(if absent { Fault::NilValue(text) } else { Fault::WrongType(text) }, operand.span)
    }

    #[cold]
    fn miscounted<T>(&self, function: Function, span: Span, least: u8, most: u8, given: usize) -> Result<T> {
        let wanted = Fault::wanted(least, most);
        self.fail(Fault::ArgumentCount { name: self.name_of(function).into(), wanted, given }, span)
    }

    fn name_of(&self, function: Function) -> &'a str {
        match function {
            Function::Builtin(builtin) => builtin.name(),
            Function::Provided { at, .. } => self.set.functions.get(at as usize).map_or("", |name| name),
        }
    }

    /// `and` and `or` give the argument that decides, and look at none after it.
    fn logic(&mut self, which: Builtin, arguments: &'a [Operand], last: Option<Val<'a>>) -> Result<Val<'a>> {
        let mut value = Val::Absent;
        for argument in arguments {
            value = self.operand(argument)?;
            if value.is_true() == (which == Builtin::Or) {
                return Ok(value);
            }
        }
        Ok(last.unwrap_or(value))
    }

    fn provided(&mut self, at: u32, span: Span, values: &[Val<'a>]) -> Result<Val<'a>> {
        let name = self.name_of(Function::Provided { at, least: 0, most: 0 });
        let mut plain = Vec::with_capacity(values.len());
        for value in values {
            match value.to_value() {
                Some(value) => plain.push(value),
                None => {
                    let text = format!("{name} cannot take {}, or text that is not UTF-8", value.kind());
                    return self.fail(Fault::WrongType(text), span);
                }
            }
        }
        self.fuel.step(1)?;
        let result = self.functions.call(name, &plain, self.fuel).map_err(|error| self.place(error, span))?;
        Ok(Val::own(result))
    }
}
