#!/bin/sh
# Runs the real cloud-init on a copy of this system that is gone afterwards: cloud-init.sh CCM USER-DATA, as root, in
# namespaces of its own (unshare -m -u). Ends with 77 where this machine lets nobody lay one file system over another.
set -e
ccm=$1 user_data=$2
mount -t tmpfs none /mnt 2>/dev/null || exit 77
root=/mnt/root
mkdir /mnt/upper /mnt/work $root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work $root 2>/dev/null || exit 77
mount -t proc proc $root/proc || exit 77
mount --bind /dev $root/dev
mount -t tmpfs none $root/run

install -m 0755 "$ccm" $root/usr/local/bin/ccm
rm -rf $root/var/lib/cloud $root/etc/cloud/cloud.cfg.d $root/etc/ccm
mkdir -p $root/var/lib/cloud/seed/nocloud
cp "$user_data" $root/var/lib/cloud/seed/nocloud/user-data
printf 'instance-id: one\nlocal-hostname: cloudy\n' >$root/var/lib/cloud/seed/nocloud/meta-data
cat >$root/etc/cloud/cloud.cfg <<'CONFIG'
datasource_list: [NoCloud]
network: {config: disabled}
cloud_init_modules: [write-files]
cloud_config_modules: [runcmd]
cloud_final_modules: [scripts-user]
system_info: {distro: debian}
CONFIG
hostname cloudy
for stage in 'init --local' init 'modules --mode=config' 'modules --mode=final'; do
    # Each stage logs on both streams.
    chroot $root cloud-init $stage >>$root/log 2>&1 || { cat $root/log; exit 1; }
done
cat $root/etc/ccm/motd || { cat $root/log; exit 1; }
