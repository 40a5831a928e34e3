#!/bin/bash
# A test program on an emulated Skylake-X, for kernels of AVX-512 that no machine at hand can run:
# Debian's Bochs boots Debian's cloud kernel, whose init is the program. Slow (10 to 40 minutes), by
# hand, as root on Debian 12.  emulated_avx512.sh PROGRAM [ARGUMENT...], e.g.
#   emulated_avx512.sh build/dev/tests/models_tests '-tc=*gemm*,narrow_f16*,pack_*,instruction*'
# BOCHS_CPU=corei7_icelake_u has VNNI (AVX3_DL); its tests of integer products did not end in 50 min.
set -eu
program=$(realpath "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get install -y --no-install-recommends bochs bochsbios isolinux syslinux-common xorriso \
  busybox-static cpio >/dev/null
kernel=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends: linux-image/ {print $2}')
apt-get download "$kernel" >/dev/null 2>&1
dpkg -x linux-image-*.deb kernel

# The file system: the program, the libraries it is linked to, and an init that runs it.
mkdir -p root/bin root/proc root/dev root/tmp iso/isolinux
cp /bin/busybox root/bin/
cp "$program" root/program
strip root/program
ldd "$program" | grep -o '/[^ ]*' | sort -u | while read -r library; do
  mkdir -p "root$(dirname "$library")"
  cp -L "$library" "root$library"
done
cat >root/init <<INIT
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
/program $(printf "'%s' " "$@") >/dev/ttyS0 2>&1
echo "exit code \$?" >/dev/ttyS0
# Bochs loses what is in its buffer when the machine is switched off.
/bin/busybox yes '' | /bin/busybox head -c 8192 >/dev/ttyS0
/bin/busybox sleep 1
/bin/busybox poweroff -f
INIT
chmod +x root/init
(cd root && find . | cpio -o -H newc --quiet | gzip -1 >../iso/initrd.gz)
cp kernel/boot/vmlinuz-* iso/vmlinuz
cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 iso/isolinux/
# Bochs 2.7 tells sizes of compacted register states that Linux refuses, together with all of AVX:
# without xsavec (321), xsaves (323) and pku (515) it takes the plain layout.
cat >iso/isolinux/isolinux.cfg <<'BOOT'
DEFAULT linux
LABEL linux
 KERNEL /vmlinuz
 APPEND initrd=/initrd.gz console=ttyS0 nokaslr mitigations=off lsm=capability noxsaves clearcpuid=321,323,515 nopku lpj=1000000 tsc=reliable lapic=notscdeadline nox2apic idle=poll
BOOT
xorriso -as mkisofs -quiet -o disk.iso -b isolinux/isolinux.bin -c isolinux/boot.cat \
  -no-emul-boot -boot-load-size 4 -boot-info-table iso
cat >bochsrc <<BOCHS
display_library: rfb, options="timeout=0"
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
megs: 768
cpu: model=${BOCHS_CPU:-corei7_skylake_x}, count=1, ips=100000000, reset_on_triple_fault=0
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path=disk.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=serial
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
speaker: enabled=0
log: bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
clock: sync=none
BOCHS
echo c >commands # Debian's Bochs begins in its debugger: continue
bochs -q -f bochsrc -rc commands >bochs.out 2>&1 </dev/null &
emulator=$!
until grep -qa '^exit code' serial 2>/dev/null; do
  kill -0 $emulator || break
  sleep 5
done
kill $emulator 2>/dev/null || true
sed -n '/Run \/init/,$p' serial
grep -qa '^exit code 0' serial
