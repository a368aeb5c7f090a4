source "$ROOT/lab/generators/clients/shared/typescript.sh"

install() { packages "openapi-typescript@$VERSION" openapi-fetch@0.17.0 typescript@5.9.3; }

generate() { mkdir -p "$CONTRACT" && node_modules/.bin/openapi-typescript "$DOCUMENT" --output "$CONTRACT/schema.d.ts"; }
