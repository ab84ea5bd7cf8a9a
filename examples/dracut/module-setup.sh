#!/bin/bash
# /usr/lib/dracut/modules.d/90ccm/module-setup.sh, with ccm-apply.sh beside it: puts ccm, /etc/ccm and its keys into the
# initramfs. Then: dracut --force

check() {
    require_binaries ccm || return 1
    # Only where the administrator has asked for it.
    [ -d "${dracutsysrootdir:-}/etc/ccm" ] || return 255
}

depends() {
    echo base
}

install() {
    local file
    inst_multiple ccm mount
    find "${dracutsysrootdir:-}/etc/ccm" "${dracutsysrootdir:-}/etc/choria/ccm" -type f 2>/dev/null | while read -r file; do
        inst_simple "$file" "${file#"${dracutsysrootdir:-}"}"
    done
    inst_hook pre-pivot 50 "$moddir/ccm-apply.sh"
}
