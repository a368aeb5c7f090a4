source "$ROOT/lab/generators/clients/shared/typescript.sh"

install() { packages "swagger-typescript-api@$VERSION"; }

generate() { node_modules/.bin/swagger-typescript-api generate --path "$DOCUMENT" --output "$CONTRACT" --name client.ts; }
