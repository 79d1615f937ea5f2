#!/usr/bin/env bash
# Builds the program that does the attribute benchmarks' work by BlueZ, with sources from Debian's source package: Benchmarks/peer/bluez/build.sh FOLDER
# They are fetched once, with a list of sources of their own: what this machine installs from stays as it is. Ends with 2 where they cannot be had.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
mkdir -p "$folder/lists/partial" "$folder/include"
cd "$folder"

if ! [ -e source/src/shared/att.c ]; then
  suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  echo "deb-src http://deb.debian.org/debian $suite main" >sources.list
  # What apt keeps of this list is in this folder. It must not drop rights: the folder can be closed to others.
  options=(-o Dir::Etc::SourceList="$PWD/sources.list" -o Dir::Etc::SourceParts=/nonexistent -o Dir::State::Lists="$PWD/lists" -o APT::Sandbox::User=root)
  echo "fetching the source of Debian's bluez"
  if ! { apt-get -qq "${options[@]}" update && apt-get -qq "${options[@]}" source --download-only bluez; } >fetch.log 2>&1; then
    echo "the source of bluez cannot be fetched: $(tail -n 1 fetch.log)" >&2
    exit 2
  fi
  archive=$(ls bluez_*.orig.tar.*)
  mkdir -p source
  tar -xf "$archive" -C source --strip-components 1
fi

# BlueZ's own comes from its configure; the files that are built here need nothing of it.
: >include/config.h
sources=(
  source/src/shared/{att,queue,util,crypto,gatt-db,gatt-client,gatt-server,gatt-helpers,mainloop,mainloop-notify,io-mainloop,timeout-mainloop}.c
  source/lib/{uuid,bluetooth}.c
)
cc -O2 -w -I include -I source -o bluez_attributes "$here/bluez_attributes.c" "${sources[@]}"
