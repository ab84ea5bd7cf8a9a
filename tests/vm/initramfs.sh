#!/bin/sh
# Makes an initramfs with the real tool of a distribution and the example for it, on a copy of this system that is gone
# afterwards: initramfs.sh TOOL CCM EXAMPLES KERNEL OUTPUT, as root, in namespaces of its own (unshare -m). KERNEL is an
# unpacked package of one. Ends with 77 where this machine lets nobody lay one file system over another.
set -e
tool=$1 ccm=$2 examples=$3 kernel=$4 output=$5
mount -t tmpfs none /mnt 2>/dev/null || exit 77
root=/mnt/root
mkdir /mnt/upper /mnt/work $root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work $root 2>/dev/null || exit 77
mount -t proc proc $root/proc || exit 77
mount --bind /dev $root/dev
mount -t tmpfs none $root/run
mount -t tmpfs none $root/tmp

version=$(ls "$kernel/lib/modules")
[ -e "$kernel/lib/modules/$version/modules.dep" ] || depmod -b "$kernel" "$version"
mkdir -p "$root/lib/modules/$version"
mount --bind "$kernel/lib/modules/$version" "$root/lib/modules/$version"
cp "$kernel/boot/config-$version" $root/boot

install -m 0755 "$ccm" $root/usr/bin/ccm
rm -rf $root/etc/ccm $root/etc/choria
mkdir -p $root/etc/ccm
cp "$examples/early/early.yaml" $root/etc/ccm

case $tool in
initramfs-tools)
    install -m 0755 "$examples/initramfs-tools/hook" $root/etc/initramfs-tools/hooks/ccm
    install -D -m 0755 "$examples/initramfs-tools/init-bottom" $root/etc/initramfs-tools/scripts/init-bottom/ccm
    echo MODULES=list >$root/etc/initramfs-tools/conf.d/ccm-test
    printf '%s\n' virtio_pci virtio_blk >$root/etc/initramfs-tools/modules
    chroot $root mkinitramfs -o /initramfs "$version"
    ;;
dracut)
    install -D -m 0644 "$examples/dracut/module-setup.sh" $root/usr/lib/dracut/modules.d/90ccm/module-setup.sh
    install -m 0644 "$examples/dracut/ccm-apply.sh" $root/usr/lib/dracut/modules.d/90ccm
    chroot $root dracut --quiet --force --no-hostonly --no-early-microcode \
        --modules 'base ccm fs-lib kernel-modules rootfs-block udev-rules' \
        --drivers 'virtio_pci virtio_blk' --filesystems ext4 --kver "$version" /initramfs
    ;;
*)
    echo "no such tool: $tool" >&2
    exit 1
    ;;
esac
cp $root/initramfs "$output"
