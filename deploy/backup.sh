#!/bin/sh
# backup.sh FOLDER [DAYS]: write a backup of $CAPTIOUS_DATABASE into FOLDER, try it, and delete those older
# than DAYS (30). The trial restores it into a scratch database: only a backup that restores is kept.
# Backups hold names and answers: only the user who runs this can read them.
set -eu
umask 077
folder=${1:?name a folder for the backups}
days=${2:-30}
: "${CAPTIOUS_DATABASE:?say which database}"
mkdir -p "$folder"
file="$folder/captious-$(date -u +%Y-%m-%dT%H%M%SZ).zip"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# $CAPTIOUS_DATABASE and $CAPTIOUS_FILES are read from the environment: everyone can see a command's arguments, and
# the address of a database may hold its password.
captious campaign backup "$scratch/backup.zip"
captious campaign restore "$scratch/backup.zip" --database "$scratch/drill.db" --files "$scratch/files"
mv "$scratch/backup.zip" "$file.new"
mv "$file.new" "$file"
find "$folder" -name 'captious-*.zip' -mtime "+$days" -delete
echo "kept $file"
