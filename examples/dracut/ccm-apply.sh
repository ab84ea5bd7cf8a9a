#!/bin/sh
# Applies /etc/ccm/early.yaml, or early.ccm where there is one, to the file system that is about to become /. dracut sources
# this in its own shell, so nothing here exits; the boot goes on whatever comes of it.

ccm_site=/etc/ccm/early.yaml
[ -e /etc/ccm/early.ccm ] && ccm_site=/etc/ccm/early.ccm

mount -o remount,rw "$NEWROOT"
ccm apply --no-report --fact "root=$NEWROOT" "$ccm_site" || echo "ccm: $ccm_site was not applied as a whole" >&2
mount -o remount,ro "$NEWROOT"
