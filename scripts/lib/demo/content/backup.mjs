/** Commands of the plan that backs up databases. The database is a text file in the home folder. */

export const DUMP = `mkdir -p "$HOME/data" "$HOME/backup" && cd "$HOME"
if [ ! -e data/orders.csv ]; then
  awk 'BEGIN { for (n = 1; n <= 20000; n++) printf "%d,order-%05d,%d.%02d\\n", n, n * 7919 % 99991, n % 400, n % 100 }' > data/orders.csv
fi
file=orders-$(date +%Y%m%d-%H%M%S).csv.gz
gzip -c data/orders.csv > "backup/$file"
echo "file=$file" >> "$RUNWARD_OUTPUT"
echo "dumped $(wc -l < data/orders.csv | tr -d ' ') orders to backup/$file, $(wc -c < "backup/$file" | tr -d ' ') bytes"`;

export const VERIFY_BACKUP = `cd "$HOME"
file={{ steps.dump.outputs.file }}
expected=$(cksum < data/orders.csv)
restored=$(gzip -dc "backup/$file" | cksum)
echo "database $expected"
echo "restored $restored"
[ "$expected" = "$restored" ] && echo "backup/$file is complete"`;

export const KEEP_NEWEST = `cd "$HOME/backup"
ls -1 | sort -r | tail -n +6 | while read -r old; do rm -- "$old" && echo "removed $old"; done
echo "$(ls -1 | wc -l | tr -d ' ') dumps kept"`;
