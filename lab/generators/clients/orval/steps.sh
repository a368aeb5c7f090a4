source "$ROOT/lab/generators/clients/shared/typescript.sh"

install() { packages "orval@$VERSION" node@24.21.0; }

# With a Node of its own, as it does not run on 20.
generate() { node_modules/.bin/node node_modules/orval/dist/bin/orval.mjs --config orval.config.mjs; }
