# openapi-generator, run by Java; sourced by the steps of its languages. They set `language` and `properties`.

repository="$CACHE/maven"
jar="$repository/org/openapitools/openapi-generator-cli/$VERSION/openapi-generator-cli-$VERSION.jar"

install_generator() {
  command -v mvn >/dev/null || exit 77
  [ -f "$jar" ] || mvn --quiet --batch-mode -Dmaven.repo.local="$repository" dependency:get \
    "-Dartifact=org.openapitools:openapi-generator-cli:$VERSION" -Dtransitive=false
}

# Into the folder of the contract, without tests and documents. Left alone, it takes for forbidden what a schema does not forbid.
generate() {
  java -jar "$jar" generate --input-spec "$DOCUMENT" --generator-name "$language" --output "$CONTRACT" \
    --global-property apiTests=false,modelTests=false,apiDocs=false,modelDocs=false \
    --additional-properties "disallowAdditionalPropertiesIfNotPresent=false,$properties"
}
