# What the steps of generators for TypeScript have in common; sourced by them.
cp "$ROOT/lab/generators/clients/shared/"{drive,env}.ts "$ROOT/lab/generators/clients/shared/tsconfig.json" .
echo '{ "type": "module" }' > package.json

# Installs packages of npm beside each other: packages NAME@VERSION…
packages() {
  tools="$CACHE/npm/$(basename "$PWD")-$VERSION"
  [ -d "$tools/node_modules" ] || npm install --silent --no-audit --no-fund --prefix "$tools" "$@"
  ln -sfn "$tools/node_modules" node_modules
}

compile() {
  cat > "tsconfig.$CONTRACT.json" <<< "{ \"extends\": \"./tsconfig.json\", \"include\": [\"$CONTRACT\"] }"
  "$ROOT/node_modules/.bin/tsc" --project "tsconfig.$CONTRACT.json"
}

drive() {
  "$ROOT/node_modules/.bin/tsc" --project tsconfig.json
  "$ROOT/node_modules/.bin/tsx" drive.ts
}
