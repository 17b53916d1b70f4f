/** Commands of the plan that rotates certificates. Without openssl on the host, a text file replaces a certificate. */

export const CHECK_CERTIFICATE = `mkdir -p "$HOME/tls" && cd "$HOME/tls"
if [ ! -e shop.pem ]; then echo "no certificate yet"; exit 10; fi
if ! command -v openssl >/dev/null; then echo "a text file from $(sed -n 2p shop.pem)"; exit 0; fi
openssl x509 -noout -subject -enddate -in shop.pem
if openssl x509 -noout -checkend 1814400 -in shop.pem; then exit 0; fi
echo "ends within 21 days"; exit 10`;

export const ISSUE_CERTIFICATE = `umask 077; cd "$HOME/tls"
if command -v openssl >/dev/null; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 \\
    -subj "/CN=shop.example.test" -keyout shop.key.new -out shop.pem.new 2>/dev/null
  openssl x509 -noout -fingerprint -sha256 -in shop.pem.new
else
  echo "openssl is not installed here, so a text file replaces the certificate"
  printf 'Not a certificate\\n%s\\n' "$(date +%F)" | tee shop.pem.new > shop.key.new
fi`;

export const INSTALL_CERTIFICATE = `cd "$HOME/tls"
mv shop.key.new shop.key && mv shop.pem.new shop.pem
date +%FT%T > reloaded
echo "installed tls/shop.pem, $(wc -c < shop.pem | tr -d ' ') bytes"`;
