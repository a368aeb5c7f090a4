source "$ROOT/lab/generators/clients/shared/openapi-generator.sh"
source "$ROOT/lab/generators/clients/shared/jvm.sh"
language=java
properties=invokerPackage=malote.${CONTRACT:-},apiPackage=malote.${CONTRACT:-}.api,modelPackage=malote.${CONTRACT:-}.model

install() {
  install_generator
  classpath
}

# Quiet but for errors.
build() { javac -nowarn -proc:none -Xlint:none -d classes -cp "$(cat classpath):classes" "$@"; }

compile() { build $(find "$CONTRACT/src/main" -name '*.java'); }

drive() {
  build Drive.java
  java -cp "$(cat classpath):classes" Drive
}
