source "$ROOT/lab/generators/clients/shared/typescript.sh"

install() { packages "openapi-typescript-codegen@$VERSION"; }

generate() { node_modules/.bin/openapi --input "$DOCUMENT" --output "$CONTRACT" --client fetch; }
