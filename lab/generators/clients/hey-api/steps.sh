source "$ROOT/lab/generators/clients/shared/typescript.sh"

install() { packages "@hey-api/openapi-ts@$VERSION" typescript@5.9.3 node@24.21.0; }

# With a Node of its own, as it does not run on 20.
generate() { node_modules/.bin/node node_modules/@hey-api/openapi-ts/bin/run.js --input "$DOCUMENT" --output "$CONTRACT" --client @hey-api/client-fetch --no-log-file; }
