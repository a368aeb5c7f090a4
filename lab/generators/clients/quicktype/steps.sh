source "$ROOT/lab/generators/clients/shared/typescript.sh"

install() { packages "quicktype@$VERSION"; }

generate() {
  mkdir -p "$CONTRACT"
  node_modules/.bin/quicktype --src-lang schema --lang typescript --top-level TrackingPayload --out "$CONTRACT/payload.ts" "$DOCUMENT"
}

drive() { "$ROOT/node_modules/.bin/tsx" read.ts "$ROOT/contracts/examples/tracking-payload.json"; }
