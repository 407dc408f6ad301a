#!/bin/sh
# backup.sh FOLDER [DAYS]: write a backup of $CAPTIOUS_DATABASE into FOLDER, try it, and delete those older
# than DAYS (30). The trial restores it into a scratch database: only a backup that restores is kept.
set -eu
folder=${1:?name a folder for the backups}
days=${2:-30}
database=${CAPTIOUS_DATABASE:?say which database}
mkdir -p "$folder"
file="$folder/captious-$(date -u +%Y-%m-%dT%H%M%SZ).zip"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

captious campaign backup "$scratch/backup.zip" --database "$database" ${CAPTIOUS_FILES:+--files "$CAPTIOUS_FILES"}
captious campaign restore "$scratch/backup.zip" --database "$scratch/drill.db" --files "$scratch/files"
mv "$scratch/backup.zip" "$file.new"
mv "$file.new" "$file"
find "$folder" -name 'captious-*.zip' -mtime "+$days" -delete
echo "kept $file"
