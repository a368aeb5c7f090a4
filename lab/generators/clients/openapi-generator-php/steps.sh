source "$ROOT/lab/generators/clients/shared/openapi-generator.sh"
language=php
properties=invokerPackage=Malote${CONTRACT:-}

# Guzzle is that of Debian (php-guzzlehttp-guzzle), without composer.
install() {
  [ -f /usr/share/php/GuzzleHttp/autoload.php ] || exit 77
  install_generator
}

# Each class is loaded, which finds what a parser does not.
compile() { php load.php "$CONTRACT"; }

drive() { php drive.php; }
