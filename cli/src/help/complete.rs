//! Completions for three shells. Each script finds out at which [`Place`] it stands and offers what may follow
//! there: flags after a dash, else sub-commands, else files.

use super::{Place, TOPICS};
use crate::definition::Flag;

/// For bash; needs nothing but its own builtins.
pub(super) fn bash(places: &[Place]) -> String {
    let mut script = String::from(
        "# bash completion of ccm\n_ccm() {\n    local at='' word flags commands i\n    \
         for ((i = 1; i < COMP_CWORD; i++)); do\n        word=${COMP_WORDS[i]}\n        case \"$at $word\" in\n            ",
    );
    script += &known(places, "|");
    script += ") at=\"$at $word\" ;;\n        esac\n    done\n    case $at in\n";
    for place in places {
        let flags: Vec<String> = place.flags.iter().flat_map(|flag| spellings(flag)).collect();
        script += &format!(
            "        '{}') flags='{}' commands='{}' ;;\n",
            place.path,
            flags.join(" "),
            words(place).join(" ")
        );
    }
    script += "    esac\n    case ${COMP_WORDS[COMP_CWORD - 1]} in\n        ";
    script += &valued(places).join("|");
    script += ") return ;;\n    esac\n    case ${COMP_WORDS[COMP_CWORD]} in\n        \
               -*) COMPREPLY=($(compgen -W \"$flags\" -- \"${COMP_WORDS[COMP_CWORD]}\")) ;;\n        \
               *) COMPREPLY=($(compgen -W \"$commands\" -- \"${COMP_WORDS[COMP_CWORD]}\")) ;;\n    esac\n}\n\
               complete -o default -F _ccm ccm\n";
    script
}

/// For zsh, as a file `_ccm` in its `fpath`.
pub(super) fn zsh(places: &[Place]) -> String {
    let mut script = String::from(
        "#compdef ccm\n_ccm() {\n    local at='' word\n    local -a flags commands\n    \
         for word in ${words[2,CURRENT-1]}; do\n        case \"$at $word\" in\n            ",
    );
    script += &format!("({})", known(places, "|"));
    script += " at=\"$at $word\" ;;\n        esac\n    done\n    case $at in\n";
    for place in places {
        script += &format!("        ('{}')\n            flags=(", place.path);
        for flag in &place.flags {
            for spelling in spellings(flag) {
                script += &format!("\n                {}", quoted(&format!("{spelling}:{}", flag.help)));
            }
        }
        script += ")\n            commands=(";
        for command in place.command.commands() {
            script += &format!("\n                {}", quoted(&format!("{}:{}", command.name, command.about)));
        }
        script += ") ;;\n";
    }
    script += "    esac\n    case $words[CURRENT-1] in\n        (";
    script += &valued(places).join("|");
    script += ") _files; return ;;\n    esac\n    if [[ $words[CURRENT] == -* ]]; then\n        \
               _describe -o flag flags\n    elif (( $#commands )); then\n        _describe command commands\n    \
               else\n        _files\n    fi\n}\nif [[ $funcstack[1] == _ccm ]]; then\n    _ccm \"$@\"\nelse\n    \
               compdef _ccm ccm\nfi\n";
    script
}

/// For fish.
pub(super) fn fish(places: &[Place]) -> String {
    let mut script = String::from(
        "# fish completion of ccm\nfunction __ccm_at\n    set -l at ''\n    \
         for word in (commandline -opc)[2..-1]\n        switch \"$at $word\"\n            case ",
    );
    script += &known(places, " ");
    script += "\n                set at \"$at $word\"\n        end\n    end\n    test \"$at\" = \"$argv[1]\"\nend\n";
    for place in places {
        let at = format!("complete -c ccm -n '__ccm_at \"{}\"'", place.path);
        for command in place.command.commands() {
            script += &format!("{at} -f -a {} -d {}\n", command.name, quoted(command.about));
        }
        for flag in &place.flags {
            let short = flag.short.map_or_else(String::new, |letter| format!(" -s {letter}"));
            let value = if flag.value().is_some() { " -r" } else { "" };
            script += &format!("{at}{short} -l {}{value} -d {}\n", flag.long, quoted(flag.help));
        }
    }
    script
}

/// Every place but the first, as patterns: `' apply'|' ensure'|' ensure file'`.
fn known(places: &[Place], between: &str) -> String {
    let paths = places.iter().filter(|place| !place.path.is_empty());
    paths.map(|place| format!("'{}'", place.path)).collect::<Vec<_>>().join(between)
}

/// The words that may follow; after `ccm` alone `help` and the topics too.
fn words(place: &Place) -> Vec<&'static str> {
    let mut words: Vec<_> = place.command.commands().iter().map(|command| command.name).collect();
    if place.path.is_empty() {
        words.push("help");
        words.extend(
            TOPICS
                .map(|(name, _)| name)
                .iter()
                .filter(|name| !place.command.commands().iter().any(|known| known.name == **name)),
        );
    }
    words
}

/// Flags that a value follows.
fn valued(places: &[Place]) -> Vec<String> {
    let mut flags: Vec<String> = places
        .iter()
        .flat_map(|place| &place.flags)
        .filter(|flag| flag.value().is_some())
        .flat_map(|flag| spellings(flag))
        .collect();
    flags.sort_unstable();
    flags.dedup();
    flags
}

fn spellings(flag: &Flag) -> Vec<String> {
    flag.short.map(|letter| format!("-{letter}")).into_iter().chain([format!("--{}", flag.long)]).collect()
}

/// In single quotes; none of the three shells reads anything in them but the quote.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "’"))
}
