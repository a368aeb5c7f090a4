source "$ROOT/lab/generators/clients/shared/typescript.sh"

install() { packages "oazapfts@$VERSION" @oazapfts/runtime@1.2.0 typescript@5.9.3; }

generate() { mkdir -p "$CONTRACT" && node_modules/.bin/oazapfts "$DOCUMENT" "$CONTRACT/client.ts" --optimistic; }
