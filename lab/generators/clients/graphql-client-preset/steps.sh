source "$ROOT/lab/generators/clients/shared/typescript.sh"

install() {
  packages "@graphql-codegen/client-preset@$VERSION" @graphql-codegen/cli@7.4.3 @graphql-typed-document-node/core@3.2.0 \
    graphql@16.15.0 typescript@5.9.3
}

# Types of the operations that operations.ts has.
generate() { node_modules/.bin/graphql-codegen --config codegen.mjs; }

compile() {
  cat > tsconfig.B.json <<< '{ "extends": "./tsconfig.json", "include": ["operations.ts"] }'
  "$ROOT/node_modules/.bin/tsc" --project tsconfig.B.json
}

drive() { "$ROOT/node_modules/.bin/tsx" operations.ts; }
