"""Prose and commented code in the languages of old encodings, each with the encodings it has."""

ENCODINGS = {
    "french": ("cp1252", "iso8859_1", "iso8859_15", "mac_roman", "cp850", "cp863"),
    "portuguese": ("cp1252", "iso8859_15", "cp860", "cp850"),
    "german": ("cp1252", "iso8859_1", "iso8859_15", "mac_roman", "cp850"),
    "turkish": ("cp1254", "iso8859_9", "cp857", "mac_turkish"),
    "russian": ("cp1251", "koi8_r", "iso8859_5", "cp866", "cp855", "mac_cyrillic"),
    "bulgarian": ("cp1251", "iso8859_5", "cp855", "mac_cyrillic"),
    "ukrainian": ("cp1251", "koi8_u", "iso8859_5", "mac_cyrillic"),
    "greek": ("cp1253", "iso8859_7", "cp737", "cp869", "mac_greek"),
    "korean": ("euc_kr", "cp949", "johab"),
    "japanese": ("cp932", "shift_jis", "euc_jp", "iso2022_jp"),
    "chinese": ("gb2312", "gbk", "gb18030"),
    "taiwanese": ("big5", "cp950", "gbk"),
}

TEXTS = {
    "french": """Les données sont enregistrées à la fin de chaque journée,
même si l'opération a échoué.
L'élève préféra rester près de la fenêtre, où il lisait de vieux romans.
int numero = 0;  /* numéro de la dernière ligne traitée */
// Vérifie que le répertoire existe déjà, sinon il est créé
if (!existe(chemin)) creer(chemin);  // accès refusé : à signaler
""",
    "portuguese": """As configurações são guardadas num ficheiro que é lido em cada início,
mesmo que a operação não tenha terminado.
O avô ficou à janela e olhou durante muito tempo as pessoas que não paravam na rua.
int numero = 0;  /* número de linhas já processadas, até à última */
// Verifica se a pasta existe; senão, cria-a antes da gravação
if (!existe(caminho)) criar(caminho);  // não é possível: permissão em falta
""",
    "german": """Die Prüfung schlägt fehl, wenn die Größe
des Schlüssels nicht mit dem Eintrag übereinstimmt.
Früher war es üblich, die Straße über den Fluss zu nehmen und später zurückzukehren.
int groesse = 0;  /* Größe des Puffers, höchstens für ein Gerät */
// Öffnet die Datei und schließt sie, sobald alle Einträge gelesen wurden
if (!offen) return FEHLER;  // ungültiger Schlüssel
""",
    "turkish": """Kullanıcı şifresini değiştirdiğinde, eski oturumların
tümü kapatılır ve günlüğe yazılır.
Çocuklar bahçede oynuyor, yaşlı adam ise ağacın gölgesinde gazetesini okuyordu.
int sayac = 0;  /* işlenen satırların sayısı */
// Dosya açılamazsa hata iletisi gösterilir ve çıkılır
if (!acik) return HATA;  // geçersiz değer, işlem yapılmadı
""",
    "russian": """Настройки сохраняются в файле, который читается при каждом запуске программы.
Старик сидел у окна и долго смотрел, как по дороге медленно идут люди.
int count = 0;  /* количество обработанных строк */
// Проверяет, что каталог существует, иначе создаёт его
if (!open_file(path)) return ERROR;  // Ошибка: доступ запрещён
""",
    "bulgarian": """Настройките се пазят във файл, който се чете при всяко пускане на програмата.
Старецът седеше до прозореца и дълго гледаше как хората бавно вървят по пътя.
int count = 0;  /* брой на обработените редове */
// Проверява дали папката съществува, иначе я създава
if (!open_file(path)) return ERROR;  // Грешка: достъпът е отказан
""",
    "ukrainian": """Налаштування зберігаються у файлі, який читається під час кожного запуску.
Її дідусь сидів біля вікна і довго дивився, як дорогою їдуть люди.
int count = 0;  /* кількість оброблених рядків */
// Перевіряє, чи існує каталог, інакше створює його
if (!open_file(path)) return ERROR;  // Помилка: немає доступу, є обмеження
""",
    "greek": """Οι ρυθμίσεις αποθηκεύονται σε ένα αρχείο που διαβάζεται σε κάθε εκκίνηση.
Ο γέρος καθόταν δίπλα στο παράθυρο και κοίταζε τη θάλασσα ώρες ολόκληρες.
int count = 0;  /* πλήθος των γραμμών που υποβλήθηκαν σε επεξεργασία */
// Ελέγχει αν υπάρχει ο κατάλογος, αλλιώς τον δημιουργεί
if (!open_file(path)) return ERROR;  // Άρνηση πρόσβασης
""",
    "korean": """설정은 파일에 저장되며 프로그램을 시작할 때마다 다시 읽습니다.
할아버지는 창가에 앉아서 길을 걷는 사람들을 오랫동안 바라보았다.
int count = 0;  /* 처리한 줄의 개수 */
// 디렉터리가 있는지 확인하고 없으면 새로 만든다
if (!open_file(path)) return ERROR;  // 접근이 거부되었습니다
""",
    "japanese": """設定はファイルに保存され、プログラムを起動するたびに読み込まれます。
老人は窓のそばに座って、道を歩く人々を長いあいだ眺めていた。
int count = 0;  /* 処理した行の数 */
// ディレクトリが存在するか確認し、なければ作成する
if (!open_file(path)) return ERROR;  // アクセスが拒否されました
""",
    "chinese": """设置保存在文件中，每次启动程序时都会重新读取。
老人坐在窗边，久久地望着路上来来往往的行人。
int count = 0;  /* 已处理的行数 */
// 检查目录是否存在，如果不存在则创建
if (!open_file(path)) return ERROR;  // 访问被拒绝
""",
    "taiwanese": """設定會儲存在檔案中，每次啟動程式時都會重新讀取。
老人坐在窗邊，久久地望著路上來來往往的行人。
int count = 0;  /* 已處理的行數 */
// 檢查目錄是否存在，如果不存在就建立
if (!open_file(path)) return ERROR;  // 存取被拒絕
""",
}
