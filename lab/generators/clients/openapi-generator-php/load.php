<?php

require __DIR__ . '/autoload.php';

foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator("{$argv[1]}/lib")) as $file) {
    if ($file->getExtension() === 'php') {
        require_once $file->getPathname();
    }
}
